import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readInstallLines } from '../helpers/mcp-guide.ts';

const ROOT = join(import.meta.dirname, '../..');
const place = mkdtempSync(join(tmpdir(), 'nacre-package-'));
const bin = (name: string): string => join(ROOT, 'node_modules/.bin', name);
let tarball = '';
/** A directory of a stranger's, in which the package is installed. */
let app = '';

const run = (file: string, args: readonly string[], cwd: string = ROOT): string =>
  execFileSync(file, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1' },
  });

beforeAll(() => {
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--silent', '--pack-destination', place])) as {
    filename: string;
  }[];
  tarball = join(place, packed?.filename ?? '');
  app = mkdtempSync(join(place, 'app-'));
  writeFileSync(join(app, 'package.json'), '{ "name": "app", "private": true, "type": "module" }');
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', tarball], app);
}, 180_000);

afterAll(() => rmSync(place, { recursive: true, force: true }));

describe('the package', () => {
  test('holds the program and nothing of its making', () => {
    const files = run('tar', ['-tzf', tarball]).trim().split('\n');
    expect(files).toContain('package/dist/index.js');
    expect(files).toContain('package/dist/bundle/NOTICES.txt');
    expect(files).toContain('package/dist/engine/run/supervisor.sh');
    expect(files).toContain('package/dist/engine/run/supervisor-unattended.sh');
    expect(files.filter((name) => /(?:^|\/)(?:test|bench|\.ci|src)\//.test(name))).toEqual([]);
  });

  test('runs no script when it is installed, and pins what it needs to the digit', () => {
    const { scripts, dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(Object.keys(scripts).filter((name) => /install|prepare/.test(name))).toEqual([]);
    for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test('is accepted by publint', () => {
    expect(run(bin('publint'), ['--strict', tarball])).toMatch(/All good|No issues/i);
  });

  test('has types that resolve', () => {
    expect(run(bin('attw'), [tarball, '--profile', 'esm-only', '--no-emoji'])).toContain('OK (ESM)');
  });

  test('works from plain JavaScript and from strict TypeScript, installed as a stranger would', () => {
    const script = `
      import { createBash } from 'nacre';
      const bash = createBash({ cwd: process.cwd(), stateDirectory: process.cwd() + '/state' });
      const result = await bash.call({ command: 'echo from a stranger' });
      await bash.close();
      console.log(result.content[0].text);`;
    writeFileSync(join(app, 'plain.mjs'), script);
    expect(run(process.execPath, ['plain.mjs'], app)).toContain('from a stranger');
    writeFileSync(join(app, 'strict.ts'), script.replace('content[0].text', 'content[0]?.text'));
    const flags = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--skipLibCheck',
      'false',
    ];
    run(
      bin('tsc'),
      [...flags, '--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node', 'strict.ts'],
      app,
    );
    expect(run(join(app, 'node_modules/.bin/nacre'), ['run', 'echo by name'], app)).toBe('by name\n');
  }, 180_000);

  const INSTALL_LINES = readInstallLines();
  test('the guide of MCP says how to install it in six clients', () => {
    expect(INSTALL_LINES.map(({ client }) => client)).toEqual([
      ...['claude', 'codex', 'gemini', 'VS Code', 'Cursor', 'Zed'],
    ]);
  });

  const commands = [...new Set(INSTALL_LINES.map(({ words }) => words.join(' ')))];
  test.each(commands)('what they are told starts the server: %s', async (line) => {
    const [command = '', ...args] = line.split(' ');
    const env = { PATH: process.env.PATH ?? '', HOME: app, npm_config_offline: 'true' };
    const client = new Client({ name: 'stranger', version: '1' });
    await client.connect(new StdioClientTransport({ command, args, env, cwd: app, stderr: 'ignore' }));
    const result = await client.callTool({ name: 'bash', arguments: { command: 'echo from npx' } });
    await client.close();
    expect(result.structuredContent).toMatchObject({ output: { text: 'from npx\n' } });
  });
});

test("the lock file names every platform's packages: without them `npm ci` refuses", () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>;
  };
  const wanted = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies),
  );
  expect(wanted.filter((name) => !(`node_modules/${name}` in packages))).toEqual([]);
});

test('the lock file names no address', () => {
  expect(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).not.toMatch(
    /https?:\/\/(?!.*(?:github|opencollective|funding))[^"]*\.tgz/,
  );
});
