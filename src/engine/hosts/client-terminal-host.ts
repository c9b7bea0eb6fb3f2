import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NacreError } from '../../errors.ts';
import { needsPreamble, renderPreamble } from '../run/command-preamble.ts';
import type { RunRequest } from '../run/run-request.ts';
import {
  ClientRun,
  type ClientTerminal,
  type ClientTerminals,
  resolveWithin,
} from './client-terminal-run.ts';
import type { Host } from './host.ts';

/** How long a client may take to open a terminal. */
const CREATE_TIMEOUT_MS = 10_000;
/** What a client holds of an output, so what is read with each look at most. */
const OUTPUT_BYTES = 256 * 1024;
/** Longer ones fit into no argument. */
const MAX_COMMAND_BYTES = 120 * 1024;
/** What bash keeps for itself, and what belongs to the terminal. */
const UNPASSED_VARIABLES: ReadonlySet<string> = new Set(['_', 'PWD', 'SHLVL', 'COLUMNS', 'LINES']);

/**
 * Runs what a person waits for in the client's terminals. What these cannot have runs where it would run without them: jobs,
 * commands that are given input, terminals of our own, and commands too long for an argument.
 */
export function createClientHost(terminals: ClientTerminals, base: Host): Host {
  const live = new Set<ClientRun>();
  let closed = false;
  return {
    name: base.name,
    ...(base.sharesFiles !== undefined && { sharesFiles: base.sharesFiles }),
    start: async (request) => {
      if (closed) throw new NacreError('closed');
      if (!canRunInClientTerminal(request)) return base.start(request);
      const preamble = writeTemporaryPreamble(request);
      const env = { ...request.env, ...preamble.env };
      const terminal = await openClientTerminal(terminals, { ...request, env }).catch((error: unknown) => {
        preamble.remove();
        throw error;
      });
      const run = new ClientRun(terminal, request);
      live.add(run);
      void run.ended.then(() => {
        live.delete(run);
        preamble.remove();
      });
      return run;
    },
    close: async () => {
      closed = true;
      await Promise.all([...live].map((run) => run.stop('shutdown')));
      await base.close();
    },
  };
}

function canRunInClientTerminal({ watcher, input, terminal, command }: RunRequest): boolean {
  if (watcher === 'nobody' || input.kind !== 'empty' || terminal !== null) return false;
  return Buffer.byteLength(command) <= MAX_COMMAND_BYTES;
}

async function openClientTerminal(terminals: ClientTerminals, request: RunRequest): Promise<ClientTerminal> {
  const { shell, command, cwd } = request;
  const env = Object.fromEntries(
    Object.entries(request.env).filter(([name]) => !UNPASSED_VARIABLES.has(name)),
  );
  let problem = `the client gave no terminal within ${CREATE_TIMEOUT_MS / 1_000} s`;
  const asked = terminals
    // The last word is what bash calls itself.
    .create({ command: shell, args: ['-c', command, 'bash'], env, cwd, outputByteLimit: OUTPUT_BYTES })
    .catch((error: unknown) => {
      problem = error instanceof Error ? error.message : String(error);
      return null;
    });
  const terminal = await resolveWithin(asked, CREATE_TIMEOUT_MS);
  if (terminal !== null) return terminal;
  // One that comes too late must not stay.
  void asked.then((late) => late?.release()).catch(() => undefined);
  throw new NacreError('spawn_failed', { shell, reason: problem });
}

/** What bash reads before a command, for as long as it runs. */
export interface TemporaryPreamble {
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

/**
 * The state of a session goes before a command in a file, as everywhere. A client on another machine does not find it: its bash
 * then runs the command as it is, and the result says that the session was not kept.
 */
export function writeTemporaryPreamble(request: RunRequest): TemporaryPreamble {
  // The level of the shell is the client's own: 1 is one that the preamble leaves as it is.
  const around = { ...request, pipeStatus: false, env: { ...request.env, SHLVL: '1' } };
  if (!needsPreamble(around)) return { env: {}, remove: () => undefined };
  // Only we can read it: functions and variables of a session may be anything.
  const directory = mkdtempSync(join(tmpdir(), 'nacre-client-'));
  const file = join(directory, 'preamble');
  writeFileSync(file, renderPreamble(around, directory), { mode: 0o600 });
  return { env: { BASH_ENV: file }, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
