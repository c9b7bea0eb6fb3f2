import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../../src');
const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));

/** The subsystems of each layer, lowest first: a subsystem imports only itself and those before it. */
const ORDER: Readonly<Record<string, readonly string[]>> = {
  engine: ['text', 'process', 'run', 'output', 'terminal', 'watch', 'shell', 'hosts'],
  tool: [
    'syntax',
    'contract',
    'policy',
    'approvals',
    'options',
    'urls',
    'journal',
    'telemetry',
    'hosts',
    'profiles',
    'sessions',
    'jobs',
    'call',
  ],
};

/** The layers below each layer. `errors` and `validator` may be imported from everywhere. */
const LOWER_LAYERS: Readonly<Record<string, readonly string[]>> = {
  engine: [],
  tool: ['engine'],
  index: ['tool', 'engine'],
  surfaces: ['index'],
};

/** The internal modules that a surface may import besides the public API. */
const INTERNAL_IMPORTS: readonly string[] = [
  'surfaces/config/settings.ts → tool/options/resolve-options.ts',
  'surfaces/config/settings.ts → tool/options/settings.ts',
  'surfaces/rendering/text-width.ts → engine/text/display-width.ts',
  'surfaces/cli/session-flags.ts → tool/hosts/find-host.ts',
  'surfaces/cli/session-flags.ts → tool/options/option-table.ts',
  'surfaces/console/watch.ts → tool/journal/journal.ts',
];

/** The directories in which a package may be imported. */
const PACKAGE_USERS: Readonly<Record<string, readonly string[]>> = {
  unbash: ['tool/syntax/', 'tool/policy/', 'tool/approvals/', 'tool/urls/'],
  '@xterm/headless': ['engine/terminal/'],
  '@agentclientprotocol/sdk': ['surfaces/acp/'],
  '@modelcontextprotocol/server': ['surfaces/mcp/'],
};

/** The layer of a file: `engine`, `tool`, `surfaces`, or the name of a file directly in `src`. */
function layerOf(file: string): string {
  return file.split('/')[0]?.replace(/\.ts$/, '') ?? '';
}

function subsystemOf(file: string): string {
  return file.split('/')[1] ?? '';
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, target]) =>
    relative(ROOT, join(ROOT, dirname(file), target ?? '')),
  );
}

/** Subsystems of `surfaces` that every surface may import. */
const SHARED = ['config', 'serving', 'rendering'];

/** Surfaces do not import each other. Commands of the command line load other surfaces on demand. */
function crossesSurfaces(file: string, target: string): boolean {
  if (subsystemOf(file) === subsystemOf(target) || SHARED.includes(subsystemOf(target))) return false;
  return !(file.startsWith('surfaces/cli/') && isLoadedOnDemand(file, target));
}

function isLoadedOnDemand(file: string, target: string): boolean {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const path = relative(dirname(join(ROOT, file)), join(ROOT, target));
  return text.includes(`await import('${path}')`) && !text.includes(`from '${path}'`);
}

function isAllowed(file: string, target: string): boolean {
  const [from, to] = [layerOf(file), layerOf(target)];
  if (to === 'errors' || to === 'validator') return true;
  if (INTERNAL_IMPORTS.includes(`${file} → ${target}`)) return true;
  if (from !== to) return (LOWER_LAYERS[from] ?? []).includes(to);
  if (from === 'surfaces') return !crossesSurfaces(file, target);
  const order = ORDER[from] ?? [];
  const [own, other] = [order.indexOf(subsystemOf(file)), order.indexOf(subsystemOf(target))];
  return own >= 0 && other >= 0 && other <= own;
}

describe('the layers', () => {
  test('imports go to lower layers and to earlier subsystems only', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .filter((target) => !isAllowed(file, target))
        .map((target) => `${file} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('a package is imported only by the directories that are listed for it', () => {
    const foreign = (file: string): string[] =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([@a-z][\w@/.-]*)'/g)]
        .map(([, name]) => name ?? '')
        .filter((name) => !name.startsWith('node:'));
    const wrong = files.flatMap((file) =>
      foreign(file)
        .filter(
          (name) =>
            !(PACKAGE_USERS[name.split('/').slice(0, 2).join('/')] ?? []).some((directory) =>
              file.startsWith(directory),
            ),
        )
        .map((name) => `${file} → ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  test('no imports form a cycle', () => {
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

  test('no `any`, no default export, no `export *`, no console outside the command line', () => {
    const wrong = files.filter((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
      const chatty = /\bconsole\./.test(text) && !file.startsWith('surfaces/cli/');
      return chatty || /:\s*any\b|<any>|as any\b|export default|export \*/.test(text);
    });
    expect(wrong).toEqual([]);
  });
});
