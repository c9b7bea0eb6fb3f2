import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NacreError } from '../../../errors.ts';
import { readTextFile } from '../../process/state-files.ts';
import { needsPreamble, renderPreamble } from '../../run/command-preamble.ts';
import { ProxyProcessTree } from '../../run/proxy-process-tree.ts';
import type { Run, RunRequest } from '../../run/run-request.ts';
import { needsCommandFile, renderSupervisorSpec } from '../../run/supervisor-spec.ts';
import { shellQuote } from '../../text/shell-quote.ts';
import { insertShellDumpPath, removeRunDirectory, renderCommandExports } from '../external-run.ts';
import type { Host } from '../host.ts';
import { createLocalHost } from '../local-host.ts';
import type { RemoteConnector } from './remote-connectors.ts';
import { RemoteRun } from './remote-run.ts';

const REMOTE_CLIENT_SCRIPT = fileURLToPath(new URL('./remote-client.sh', import.meta.url));
const REMOTE_AGENT_SCRIPT = fileURLToPath(new URL('./remote-agent.sh', import.meta.url));
const SUPERVISOR_SCRIPT = fileURLToPath(new URL('../../run/supervisor.sh', import.meta.url));
/** In a bundle all scripts are in one directory. */
const SCRIPT_DIRECTORY = existsSync(SUPERVISOR_SCRIPT)
  ? dirname(SUPERVISOR_SCRIPT)
  : dirname(REMOTE_CLIENT_SCRIPT);

/** Placeholder for the path of the remote run directory, which only the remote side knows. */
const REMOTE_DIRECTORY_PLACEHOLDER = '@NACRE_DIRECTORY@';

/** How long after the time limit of a foreground run the remote side stops it, if the caller does not. */
const CUT_LINK_SECONDS = 15;

/** Ten years. */
const NEVER_MS = 315_360_000_000;

/** Linux limits one variable to 128 KiB. */
const MAX_EXPORTS_BYTES = 120 * 1024;

interface RemoteHostOptions {
  readonly name: string;
  readonly connector: RemoteConnector;
  /** The path of bash on the remote host. */
  readonly shell: string;
  readonly stateDirectory: string;
  readonly onExit: 'end' | 'keep';
}

/**
 * Creates a host that runs commands on a remote machine, over a program that connects to a bash there. Output
 * and limits work as on this machine; a lost connection is reopened and continues where it stopped.
 */
export function createRemoteHost(options: RemoteHostOptions): Host {
  return new RemoteHost(options);
}

class RemoteHost implements Host {
  readonly name: string;
  readonly bringsShell = true;
  readonly #options: RemoteHostOptions;
  readonly #local: Host;
  /** Remote ids of finished runs. Their output has arrived, so their remote directories can be removed. */
  readonly #finished: string[] = [];

  constructor(options: RemoteHostOptions) {
    this.name = options.name;
    this.#options = options;
    this.#local = createLocalHost(options);
  }

  async start(original: RunRequest): Promise<Run> {
    const { connector } = this.#options;
    const request: RunRequest = {
      ...original,
      shell: this.#options.shell,
      terminal: null,
      baseEnvironment: null,
    };
    const exports = renderRemoteExports(request);
    let directory = '';
    const run = await this.#local.start({
      ...original,
      terminal: null,
      baseEnvironment: null,
      preamble: '',
      atExit: '',
      pipeStatus: false,
      cwd: '/',
      // The time in the queue is unknown, so the remote side enforces the limit.
      ...(connector.usesQueue && original.watcher === 'nobody'
        ? { timeoutMs: null, jobTimeoutMs: NEVER_MS }
        : {}),
      env: { ...connector.env, NACRE_FAR_EXPORTS: exports },
      external: {
        pipes: null,
        proxyProcess: REMOTE_CLIENT_SCRIPT,
        settings: `${renderSettings(connector, this.#options.stateDirectory)}${renderArraySettings(original)}`,
        forwardsInput: hasStreamedInput(original),
        prepare: (path, id) => {
          directory = path;
          writeFileSync(join(path, 'far'), renderRemoteStart(request, id), { mode: 0o600 });
        },
        tree: (root, scanner) => new ProxyProcessTree(root, { directory, scanner }),
      },
    });
    const pid = await this.#awaitStart(run, original);
    const notes =
      original.terminal === null ? [] : ['This host has no terminals: the command ran without one.'];
    const remote = new RemoteRun({ run, pid, notes, hasShellDump: original.shellMark !== undefined });
    void remote.ended.then(({ ending, leftovers }) => {
      // If the start was unsure, its script may still arrive: the remote directory must stay, to stop it.
      const isKnown = ending.kind !== 'lost' && !existsSync(join(run.directory, 'far.unsure'));
      if (isKnown && leftovers.length === 0) this.#finished.push(remoteRunId(original) ?? run.id);
    });
    return remote;
  }

  async close(): Promise<void> {
    await this.#local.close();
    if (this.#finished.length > 0) await removeRemoteRuns(this.#options.connector, this.#finished);
    await this.#options.connector.close();
  }

  /** Resolves with the remote pid when the command has started; with 0 if it was stopped before. */
  async #awaitStart(run: Run, { signal, cwd }: RunRequest): Promise<number> {
    const file = join(run.directory, 'far.state');
    let isOver = false;
    void run.ended.then(() => {
      isOver = true;
    });
    const abort = (): void => void run.stop('abort');
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
    for (let wait = 1; !existsSync(file) && !isOver; wait = Math.min(wait + 1, 10)) await pause(wait);
    signal?.removeEventListener('abort', abort);
    const [word, value = ''] = (readTextFile(file) ?? '').trim().split(' ');
    if (word === 'started') return Number(value);
    // A background run does not keep this process alive, so this timer does.
    const keepAlive = setInterval(() => undefined, 60_000);
    const { ending } = await run.ended;
    clearInterval(keepAlive);
    if (ending.kind === 'stopped') return 0;
    const reason = readTextFile(join(run.directory, 'far.why'))?.trim() || 'its proxy process exited';
    await removeRunDirectory(run.directory);
    if (value === 'cwd') throw new NacreError('cwd_missing', { cwd });
    // Without an answer the start is unknown: the proxy process may have been killed.
    const code = value === 'unsure' || value === '' ? 'start_unknown' : 'host_unreachable';
    throw new NacreError(code, { host: this.name, reason });
  }
}

function hasStreamedInput({ input }: RunRequest): boolean {
  return input.kind === 'descriptor' || input.kind === 'open';
}

function renderSettings({ argv, openScript = '' }: RemoteConnector, stateDirectory: string): string {
  const key = createHash('sha256').update(JSON.stringify(argv)).digest('hex').slice(0, 32);
  const lines = [
    `nacre_client=(${argv.map(shellQuote).join(' ')})`,
    `nacre_remote_agent_script=${shellQuote(REMOTE_AGENT_SCRIPT)}`,
    `nacre_remote_script_directory=${shellQuote(SCRIPT_DIRECTORY)}`,
    `nacre_remote_place_file=${shellQuote(join(stateDirectory, 'places', key))}`,
  ];
  return `${lines.join('\n')}\n${openScript}`;
}

/** Tasks of an array share one submission; their remote ids are derived from its key. */
function remoteRunId({ array }: RunRequest): string | null {
  return array === undefined ? null : `${array.key}t${array.task}`;
}

function renderArraySettings(request: RunRequest): string {
  const { array } = request;
  if (array === undefined) return '';
  const { key, spec, task, submits } = array;
  return `nacre_remote_id=${remoteRunId(request)} nacre_array=${key} nacre_array_task=${task} nacre_array_spec=${submits ? shellQuote(spec) : ''}\n`;
}

/** The command's variables as shell text. */
function renderRemoteExports(request: RunRequest): string {
  const { env } = renderSupervisorSpec(request, { id: '', directory: '', bootId: '', now: 0 });
  const text = renderCommandExports(env);
  if (Buffer.byteLength(text) > MAX_EXPORTS_BYTES)
    throw new NacreError('bad_input', {
      field: 'env',
      problem: 'is too long for a remote host (limit: 120 KiB)',
    });
  return text;
}

/** The part of the agent's script that only a start needs. Deadlines are relative, because clocks differ. */
function renderRemoteStart(request: RunRequest, id: string): string {
  const input: RunRequest['input'] = hasStreamedInput(request) ? { kind: 'open' } : request.input;
  const remote = insertShellDumpPath(
    { ...request, input, watcher: 'nobody' },
    `${REMOTE_DIRECTORY_PLACEHOLDER}/shell`,
  );
  const target = { id, directory: REMOTE_DIRECTORY_PLACEHOLDER, bootId: '', now: 0 };
  const slack = request.watcher === 'reader' ? CUT_LINK_SECONDS + Math.ceil(request.graceMs / 1000) : 0;
  const spec = [
    renderSupervisorSpec(remote, target).text,
    'nacre_far=1',
    "printf -v nacre_now '%(%s)T' -1",
    `[[ -z $nacre_deadline ]] || nacre_deadline=$((nacre_now + nacre_deadline + ${slack}))`,
    'nacre_job_deadline=$((nacre_now + nacre_job_deadline))',
    "case $nacre_cwd in '~') nacre_cwd=$HOME ;; '~/'*) nacre_cwd=$HOME/${nacre_cwd:2} ;; esac",
  ].join('\n');
  const lines = [`nacre_where=${shellQuote(request.cwd)}`, `nacre_spec=${shellQuote(spec)}`];
  if (needsPreamble(remote))
    lines.push(`nacre_preamble=${shellQuote(renderPreamble(remote, REMOTE_DIRECTORY_PLACEHOLDER))}`);
  if (needsCommandFile(remote)) lines.push(`nacre_long=${shellQuote(request.command)}`);
  if (request.input.kind === 'text') lines.push(`nacre_stdin=${shellQuote(request.input.text)}`);
  return `${lines.join('\n')}\n`;
}

/** Short, because the exit of the program waits for it; the next start removes what remains. */
const REMOVE_TIMEOUT_MS = 3_000;

/**
 * Removes remote run directories after their output has arrived. Errors are ignored: the next start removes old
 * directories as well.
 */
function removeRemoteRuns({ argv, env }: RemoteConnector, ids: readonly string[]): Promise<void> {
  const text = `nacre_task=clear nacre_id=none nacre_stream=out nacre_from=0 nacre_words='${ids.join(' ')}'\n${readFileSync(REMOTE_AGENT_SCRIPT, 'utf8')}`;
  const [program = '', ...words] = argv;
  return new Promise((resolve) => {
    const child = spawn(program, words, {
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
      timeout: REMOVE_TIMEOUT_MS,
    });
    child.on('error', () => resolve());
    child.on('close', () => resolve());
    child.stdin.on('error', () => undefined);
    child.stdin.end(
      `LC_ALL=C IFS= read -r -N ${Buffer.byteLength(text)} nacre_text && eval "$nacre_text"\n${text}`,
    );
  });
}
