import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createBash, openArtifacts, openJobs, readLog } from '../../../src/index.ts';
import { nacreEnv, runNacre } from '../../helpers/nacre-cli.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const FIXTURE = join(import.meta.dirname, '../../fixtures/state-0.1');

function olderState(): string {
  const stateDirectory = join(temporaryDirectory(), 'state');
  cpSync(FIXTURE, stateDirectory, { recursive: true });
  return stateDirectory;
}

test('the runs, jobs, outputs and log of nacre 0.1 are read', async () => {
  const stateDirectory = olderState();
  const jobs = openJobs({ stateDirectory, session: null }).list();
  const states = jobs.map(({ label, status, exitCode }) => ({ label, status, exitCode }));
  expect(states).toContainEqual({ label: 'echo job output; exit 4', status: 'exited', exitCode: 4 });
  expect(states).toContainEqual({
    label: 'echo before; exec sleep 1000.4242',
    status: 'lost',
    exitCode: null,
  });
  const artifacts = openArtifacts({ stateDirectory, session: null });
  const read = (name: string) => artifacts.paths(name).map((path) => readFileSync(path, 'utf8'));
  expect(read('artifact://mwj9mk4m2o7o2d')).toEqual(['hello\n']);
  expect(read('artifact://mwj9mk4m2o7o2d/err')).toEqual(['problem\n']);
  const log = readLog({ stateDirectory, session: null, limit: 100 });
  expect(log.map(({ command }) => command)).toContain('touch marker');
});

test('a session of nacre 0.1 goes on with its variables, functions and directory', async () => {
  const stateDirectory = olderState();
  const bash = createBash({ stateDirectory, session: 'demo', cwd: stateDirectory });
  try {
    const { content } = await bash.call({ command: 'echo "$COLOUR $PWD"; greet you' });
    expect(content[0]?.text).toContain('blue /\nhi you');
  } finally {
    await bash.close();
  }
});

test('a state directory of a newer nacre is refused and stays as it is', async () => {
  const root = temporaryDirectory();
  const stateDirectory = join(root, 'state/nacre');
  mkdirSync(stateDirectory, { recursive: true });
  writeFileSync(join(stateDirectory, 'version'), '2\n');
  for (const args of [
    ['run', 'echo ran'],
    ['jobs', 'list'],
    ['artifacts'],
    ['log'],
    ['sessions'],
    ['approvals', 'list'],
  ]) {
    const { status, stdout, stderr } = await runNacre(args, { env: nacreEnv(root), cwd: root });
    expect({ status, stdout }).toEqual({ status: 125, stdout: '' });
    expect(stderr).toMatch(/^nacre: The state directory .* was written by a newer nacre: it has version 2/);
  }
  expect(existsSync(join(stateDirectory, 'runs'))).toBe(false);
});

test('the record of a run carries a format, and one of a newer nacre is named', async () => {
  const stateDirectory = join(temporaryDirectory(), 'state');
  const bash = createBash({ stateDirectory });
  try {
    const { run } = await bash.call({ command: 'echo kept' });
    const id = run.runId ?? '';
    const file = join(stateDirectory, 'runs', id, 'run.json');
    const record = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    expect(record.format).toBe(1);
    writeFileSync(file, JSON.stringify({ ...record, format: 2 }));
    const artifacts = openArtifacts({ stateDirectory, session: null });
    expect(artifacts.list()).toMatchObject([
      { id, status: 'exited', label: '(recorded by a newer nacre, format 2)' },
    ]);
    expect(artifacts.paths(id).map((path) => readFileSync(path, 'utf8'))).toEqual(['kept\n']);
  } finally {
    await bash.close();
  }
});

test('a new state directory carries its version', async () => {
  const stateDirectory = join(temporaryDirectory(), 'state');
  const bash = createBash({ stateDirectory });
  await bash.call({ command: 'true' });
  await bash.close();
  expect(readFileSync(join(stateDirectory, 'version'), 'utf8')).toBe('1\n');
});
