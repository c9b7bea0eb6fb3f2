import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const NACRE = join(import.meta.dirname, '../../../bin/nacre.cjs');
const ACPX = join(import.meta.dirname, '../node_modules/.bin/acpx');

/** One line through a client that others made. */
async function ask(line: string, ...flags: string[]): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'nacre-acpx-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const agent = `${process.execPath} ${NACRE} acp`;
  const { stdout } = await promisify(execFile)(
    ACPX,
    ['--agent', agent, '--cwd', home, '--approve-all', '--format', 'json', ...flags, 'exec', line],
    { env: { PATH: process.env.PATH, HOME: home }, timeout: 60_000 },
  ).catch((error: { stdout?: string; stderr?: string }) => {
    throw new Error(`${error.stdout}\n${error.stderr}`);
  });
  return stdout;
}

test('acpx runs a command in its own terminal and hears how it ended', async () => {
  const events = await ask('echo from $((40 + 2)); exit 3');
  expect(events).toContain('"type":"terminal"');
  expect(events).toContain('from 42');
  expect(events).toContain('Exit code 3.');
  expect(events).toContain('end_turn');
}, 120_000);
