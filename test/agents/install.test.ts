import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readInstallLines } from '../helpers/mcp-guide.ts';
import { openHome, runAgent } from './helpers/run-agent.ts';

const MODULES = join(import.meta.dirname, 'node_modules');

/** Which program an install line of the guide is for, and where it keeps what it is told. */
const CLIENTS = [
  {
    client: 'claude',
    start: [join(MODULES, `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`)],
    keptIn: '.claude.json',
    dashes: ['--'],
  },
  {
    client: 'codex',
    start: [process.execPath, join(MODULES, '@openai/codex/bin/codex.js')],
    keptIn: 'codex/config.toml',
    dashes: ['--'],
  },
  {
    client: 'gemini',
    start: [process.execPath, join(MODULES, '@google/gemini-cli/bundle/gemini.js')],
    keptIn: 'project/.gemini/settings.json',
    dashes: [],
  },
];

test.each(CLIENTS)('$client keeps the line of the guide as it is meant', async (each) => {
  const { client, start, keptIn, dashes } = each;
  const words = readInstallLines().find((line) => line.client === client)?.words ?? [];
  const [file = '', ...first] = start;
  expect(existsSync(start.at(-1) ?? ''), `${start.at(-1)} is missing`).toBe(true);
  const { home, project } = openHome();
  mkdirSync(join(home, 'codex'));
  const args = [...first, 'mcp', 'add', 'nacre', ...dashes, ...words];
  const env = { CODEX_HOME: join(home, 'codex'), DISABLE_AUTOUPDATER: '1', DISABLE_TELEMETRY: '1' };
  const { code, output } = await runAgent({ file, args, home, cwd: project, env });
  expect(code, output).toBe(0);
  // JSON and TOML write a list of words alike.
  const kept = readFileSync(join(home, keptIn), 'utf8').replace(/\s+/g, '');
  const [command, ...rest] = words;
  expect(kept).toMatch(new RegExp(`"?command"?[:=]"${command}"`));
  expect(kept).toContain(JSON.stringify(rest));
});
