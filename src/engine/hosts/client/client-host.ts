import { NacreError } from '../../../errors.ts';
import type { RunRequest } from '../../run/request.ts';
import type { Host } from '../host.ts';
import { ClientRun } from './client-run.ts';
import type { ClientTerminal, ClientTerminals } from './client-terminals.ts';
import { writePreamble } from './preamble-file.ts';
import { within } from './within.ts';

/** How long a client may take to open a terminal. */
const CREATE_MS = 10_000;
/** What a client holds of an output, so what is read with each look at most. */
const OUTPUT_BYTES = 256 * 1024;
/** Longer ones fit into no argument. */
const LONGEST_COMMAND_BYTES = 120 * 1024;
/** What bash keeps for itself, and what belongs to the terminal. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set(['_', 'PWD', 'SHLVL', 'COLUMNS', 'LINES']);

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
      if (!fits(request)) return base.start(request);
      const preamble = writePreamble(request);
      const env = { ...request.env, ...preamble.env };
      const terminal = await open(terminals, { ...request, env }).catch((error: unknown) => {
        preamble.forget();
        throw error;
      });
      const run = new ClientRun(terminal, request);
      live.add(run);
      void run.ended.then(() => {
        live.delete(run);
        preamble.forget();
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

function fits({ watcher, input, terminal, command }: RunRequest): boolean {
  if (watcher === 'nobody' || input.kind !== 'empty' || terminal !== null) return false;
  return Buffer.byteLength(command) <= LONGEST_COMMAND_BYTES;
}

async function open(terminals: ClientTerminals, request: RunRequest): Promise<ClientTerminal> {
  const { shell, command, cwd } = request;
  const env = Object.fromEntries(Object.entries(request.env).filter(([name]) => !NOT_PASSED_ON.has(name)));
  let problem = `the client gave no terminal within ${CREATE_MS / 1_000} s`;
  const asked = terminals
    // The last word is what bash calls itself.
    .create({ command: shell, args: ['-c', command, 'bash'], env, cwd, outputByteLimit: OUTPUT_BYTES })
    .catch((error: unknown) => {
      problem = error instanceof Error ? error.message : String(error);
      return null;
    });
  const terminal = await within(asked, CREATE_MS);
  if (terminal !== null) return terminal;
  // One that comes too late must not stay.
  void asked.then((late) => late?.release()).catch(() => undefined);
  throw new NacreError('spawn_failed', { shell, reason: problem });
}
