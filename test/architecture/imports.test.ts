import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../src');
const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

/** Which rooms a room may look into, besides itself. `errors` is everybody's. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'engine/text': [],
  'engine/output': ['engine/text', 'engine/run'],
  'engine/run': ['engine/text'],
  'engine/watch': ['engine/run', 'engine/output', 'engine/text'],
  'engine/terminal': ['engine/run', 'engine/output', 'engine/text'],
  'engine/shell': ['engine/run', 'engine/output', 'engine/text'],
  'engine/hosts': ['engine/shell', 'engine/run', 'engine/output', 'engine/text'],
  tool: ['engine'],
  index: ['tool', 'engine'],
  surfaces: ['index'],
};

/** Where a package may be used. */
const HOME_OF: Readonly<Record<string, readonly string[]>> = {
  unbash: ['tool/policy/', 'tool/urls/', 'tool/planning/'],
  '@xterm/headless': ['engine/terminal/'],
  '@agentclientprotocol/sdk': ['surfaces/acp/'],
  '@modelcontextprotocol/server': ['surfaces/mcp/'],
};

function roomOf(file: string): string {
  const parts = file.split('/');
  if (parts.length === 1) return parts[0]?.replace(/\.ts$/, '') ?? '';
  return parts[0] === 'engine' ? `engine/${parts[1]}` : (parts[0] ?? '');
}

function surfaceOf(file: string): string {
  return file.split('/')[1] ?? '';
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, target]) =>
    relative(ROOT, join(ROOT, dirname(file), target ?? '')),
  );
}

/** What belongs to no surface: settings, and what every server needs. */
const SHARED = ['config', 'serving', 'table'];

/** Surfaces do not know each other, and the command line opens the others when asked to. */
function crossesSurfaces(file: string, target: string): boolean {
  if (surfaceOf(file) === surfaceOf(target) || SHARED.includes(surfaceOf(target))) return false;
  return !(file.startsWith('surfaces/cli/commands/') && isLoadedLater(file, target));
}

function isLoadedLater(file: string, target: string): boolean {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const path = relative(dirname(join(ROOT, file)), join(ROOT, target));
  return text.includes(`await import('${path}')`) && !text.includes(`from '${path}'`);
}

function isAllowed(file: string, target: string): boolean {
  const [from, to] = [roomOf(file), roomOf(target)];
  if (to === 'errors') return true;
  if (from === to) return from !== 'surfaces' || !crossesSurfaces(file, target);
  return (MAY_IMPORT[from] ?? []).some((room) => to === room || to.startsWith(`${room}/`));
}

describe('the house', () => {
  test('imports go down only', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => !isAllowed(file, target))
        .map((target) => `${file} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('what a library of its own brings stays in the room that needs it', () => {
    const foreign = (file: string): string[] =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([@a-z][\w@/.-]*)'/g)]
        .map(([, name]) => name ?? '')
        .filter((name) => !name.startsWith('node:'));
    const wrong = files.flatMap((file) =>
      foreign(file)
        .filter(
          (name) =>
            !(HOME_OF[name.split('/').slice(0, 2).join('/')] ?? []).some((room) => file.startsWith(room)),
        )
        .map((name) => `${file} → ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  test('no file imports itself through others', () => {
    const graph = new Map(files.map((file) => [file, importsOf(file)]));
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) {
        cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
        return;
      }
      for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
      graph.set(file, []);
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });

  test('no source file is longer than 300 lines', () => {
    const long = files.filter((file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length > 301);
    expect(long).toEqual([]);
  });

  test('no `any`, no default export, no `export *`, no console outside the command line', () => {
    const wrong = files.filter((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
      const chatty = /\bconsole\./.test(text) && !file.startsWith('surfaces/cli/');
      return chatty || /:\s*any\b|<any>|as any\b|export default|export \*/.test(text);
    });
    expect(wrong).toEqual([]);
  });
});
