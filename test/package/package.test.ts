import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
  // Without scripts: `prepare` would rebuild dist while other tests use it.
  const [packed] = JSON.parse(
    run('npm', ['pack', '--ignore-scripts', '--json', '--silent', '--pack-destination', place]),
  ) as {
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
    expect(Object.keys(scripts).filter((name) => /install/.test(name))).toEqual([]);
    for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test('is accepted by publint', () => {
    expect(run(bin('publint'), ['--strict', tarball])).toMatch(/All good|No issues/i);
  });

  test('has types that resolve', () => {
    expect(run(bin('attw'), [tarball, '--profile', 'esm-only', '--no-emoji'])).toContain('OK (ESM)');
  });

  const SCRIPT = `
    const bash = createBash({ cwd: process.cwd(), stateDirectory: process.cwd() + '/state' });
    bash.call({ command: 'echo from a stranger' })
      .then((result) => { console.log(result.content[0]?.text); return bash.close(); });`;

  test.each([
    ['esm.mjs', "import { createBash } from 'nacre';"],
    ['cjs.cjs', "const { createBash } = require('nacre');"],
  ])('works from plain JavaScript: %s', (name, load) => {
    writeFileSync(join(app, name), `${load}${SCRIPT}`);
    expect(run(process.execPath, [name], app)).toContain('from a stranger');
  });

  test.each([
    ['nodenext', 'nodenext'],
    ['node16', 'node16'],
    ['esnext', 'bundler'],
  ])(
    'compiles in strict TypeScript with module %s and resolution %s',
    (module, resolution) => {
      const name = `strict-${resolution}.ts`;
      writeFileSync(join(app, name), `import { createBash } from 'nacre';${SCRIPT}`);
      const flags = ['--noEmit', '--strict', '--target', 'es2022', '--skipLibCheck', 'false'];
      const types = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node'];
      run(bin('tsc'), [...flags, ...types, '--module', module, '--moduleResolution', resolution, name], app);
    },
    180_000,
  );

  test('its command runs by name and through npx', () => {
    expect(run(join(app, 'node_modules/.bin/nacre'), ['run', 'echo by name'], app)).toBe('by name\n');
    expect(run('npx', ['--offline', 'nacre', 'run', 'echo by npx'], app)).toBe('by npx\n');
  });

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

test('npm pack in a fresh clone builds the package', () => {
  const clone = mkdtempSync(join(place, 'clone-'));
  const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
  });
  const present = tracked
    .toString()
    .split('\0')
    .filter((name) => name !== '' && existsSync(join(ROOT, name)));
  execFileSync('tar', ['-cf', join(clone, 'tree.tar'), '--null', '-T', '-'], {
    cwd: ROOT,
    input: present.join('\0'),
  });
  run('tar', ['-xf', 'tree.tar'], clone);
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  const [packed] = JSON.parse(run('npm', ['pack', '--json', '--silent'], clone)) as {
    filename: string;
    files: { path: string }[];
  }[];
  const files = packed?.files.map(({ path }) => path) ?? [];
  expect(files).toEqual(
    expect.arrayContaining(['dist/index.js', 'dist/index.d.ts', 'docs/guide/library.md']),
  );
}, 180_000);

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
