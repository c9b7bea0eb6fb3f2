import { spawnSync } from 'node:child_process';

/** Whether bash can read a text as a script. With `-n` it runs nothing of it. */
export function bashReads(text: string, shell: string): boolean {
  const { status } = spawnSync(shell, ['--norc', '--noprofile', '-n'], {
    input: text,
    // Without the caller's variables there is no file that bash would read first.
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
    timeout: 5_000,
    killSignal: 'SIGKILL',
  });
  return status === 0;
}
