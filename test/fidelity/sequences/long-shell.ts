import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** Shell text that prints all that a session is to keep, each kind with a NUL behind it. */
export const LOOK =
  "{ builtin declare -p; builtin printf '\\0'; builtin alias -p; builtin printf '\\0'; builtin set +o; builtin shopt -p; " +
  "builtin printf '\\0'; builtin declare -f; builtin declare -F; builtin printf '\\0'; builtin pwd; builtin umask; " +
  'builtin dirs -l -p; builtin printf \'OLD %s\\0\' "$OLDPWD"; }';

/** One bash that lives on from command to command: what a session pretends to be. */
export class LongShell {
  readonly #child: ChildProcess;
  readonly #directory: string;
  #count = 0;
  #heard = '';
  #onNews: () => void = () => undefined;

  constructor({ cwd, env, directory }: { cwd: string; env: NodeJS.ProcessEnv; directory: string }) {
    this.#directory = directory;
    this.#child = spawn('/bin/bash', ['--norc', '--noprofile', '-s'], {
      argv0: 'bash',
      cwd,
      env,
      stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    });
    (this.#child.stdio[3] as Readable).on('data', (chunk) => {
      this.#heard += String(chunk);
      this.#onNews();
    });
    this.#child.on('exit', () => this.#onNews());
    // Out of the way of what commands do to small numbers.
    this.#write('exec 60>&3 3>&-\n');
  }

  /** Runs a command, and takes back what is not carried; what the shell is then. */
  async run(command: string): Promise<string> {
    this.#count += 1;
    const [script, seen] = ['command', 'seen'].map((name) => join(this.#directory, `${name}-${this.#count}`));
    writeFileSync(String(script), command);
    this.#write(`builtin . '${script}' </dev/null >/dev/null 2>&1
builtin set +euxvnt; builtin trap - DEBUG ERR RETURN USR1 EXIT; builtin set --
${LOOK} >|'${seen}' 2>/dev/null
builtin printf '%s\\n' ${this.#count} >&60
`);
    while (!this.#heard.endsWith(`\n${this.#count}\n`) && this.#heard !== `${this.#count}\n`) {
      if (this.#child.exitCode !== null)
        throw new Error(`the shell that was to live on ended at: ${command}`);
      await new Promise<void>((resolve) => {
        this.#onNews = resolve;
      });
    }
    return readFileSync(String(seen), 'latin1');
  }

  close(): void {
    this.#child.kill('SIGKILL');
  }

  #write(text: string): void {
    (this.#child.stdin as Writable).write(text);
  }
}
