import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorMessage, NacreError } from '../../errors.ts';
import { needsPreamble, renderPreamble } from '../run/command-preamble.ts';
import type { RunRequest } from '../run/run-request.ts';
import {
  ClientRun,
  type ClientTerminal,
  type ClientTerminals,
  resolveWithin,
} from './client-terminal-run.ts';
import type { Host } from './host.ts';

const CREATE_TIMEOUT_MS = 10_000;
/** Bytes of output that the client retains, and therefore the most that one poll returns. */
const OUTPUT_BYTES = 256 * 1024;
/** Linux limits one argument to 128 KiB. */
const MAX_COMMAND_BYTES = 120 * 1024;
/** Variables that bash sets itself, and variables that belong to the client's terminal. */
const UNPASSED_VARIABLES: ReadonlySet<string> = new Set(['_', 'PWD', 'SHLVL', 'COLUMNS', 'LINES']);

/**
 * Creates a host that runs foreground commands in terminals of the client.
 * Background jobs, commands with input, commands on a pseudo-terminal and commands too long for an argument run
 * on the base host.
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
  const opening = terminals
    // The last argument is `$0`.
    .create({ command: shell, args: ['-c', command, 'bash'], env, cwd, outputByteLimit: OUTPUT_BYTES })
    .catch((error: unknown) => {
      problem = errorMessage(error);
      return null;
    });
  const terminal = await resolveWithin(opening, CREATE_TIMEOUT_MS);
  if (terminal !== null) return terminal;
  // A terminal that is opened after the timeout is released at once.
  void opening.then((late) => late?.release()).catch(() => undefined);
  throw new NacreError('spawn_failed', { shell, reason: problem });
}

/** A preamble file that exists while a command runs, and the environment that makes bash read it. */
interface TemporaryPreamble {
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

/**
 * Writes the session state to a temporary file that bash reads before the command. A client on another machine
 * does not have the file: its bash runs the command without it, and the result says that the session state was
 * not kept.
 */
function writeTemporaryPreamble(request: RunRequest): TemporaryPreamble {
  // The client's bash counts SHLVL itself: with 1 the preamble does not change it.
  const adjusted = { ...request, pipeStatus: false, env: { ...request.env, SHLVL: '1' } };
  if (!needsPreamble(adjusted)) return { env: {}, remove: () => undefined };
  // A private directory: functions and variables of a session may contain secrets.
  const directory = mkdtempSync(join(tmpdir(), 'nacre-client-'));
  const file = join(directory, 'preamble');
  writeFileSync(file, renderPreamble(adjusted, directory), { mode: 0o600 });
  return { env: { BASH_ENV: file }, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
