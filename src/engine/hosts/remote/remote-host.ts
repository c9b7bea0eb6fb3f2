import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NacreError } from '../../../errors.ts';
import type { Run, RunRequest } from '../../run/request.ts';
import { needsPreamble, renderPreamble } from '../../run/supervise/preamble.ts';
import { needsCommandFile, renderSpec } from '../../run/supervise/spec.ts';
import { RelayTree } from '../../run/tree/relay-tree.ts';
import type { Surveyor } from '../../run/tree/survey.ts';
import type { TreeRoot } from '../../run/tree/tree.ts';
import { quote } from '../../text/quote.ts';
import { forgetRun } from '../forget-run.ts';
import type { Host } from '../host.ts';
import { createLocalHost } from '../local.ts';
import { placeShell } from '../placed-shell.ts';
import { clearFar } from './clear-far.ts';
import type { Client } from './client.ts';
import { FarRun } from './far-run.ts';

const RELAY = fileURLToPath(new URL('./relay.sh', import.meta.url));
const FAR = fileURLToPath(new URL('./far.sh', import.meta.url));
const SUPERVISOR = fileURLToPath(new URL('../../run/supervise/supervisor.sh', import.meta.url));
/** Bundled, all scripts lie together. */
const SCRIPTS = existsSync(SUPERVISOR) ? dirname(SUPERVISOR) : dirname(RELAY);

/** Stands for the run's directory over there, which only the other side knows. */
const FAR_DIRECTORY = '@NACRE_DIRECTORY@';

/** How long after a caller's own limit the other side ends a run whose caller does not, or cannot. */
const CUT_LINK_SECONDS = 15;

/** Ten years. */
const NEVER_MS = 315_360_000_000;

/** Longest text that Linux takes as one variable. */
const MAX_EXPORTS_BYTES = 120 * 1024;

export interface RemoteHostOptions {
  readonly name: string;
  readonly client: Client;
  /** The bash over there. */
  readonly shell: string;
  readonly stateDirectory: string;
  readonly onExit: 'end' | 'keep';
}

/**
 * Runs commands on another machine, through a program that opens a stream to a bash there. Everything that a run has
 * here it has as well: its directory, its output, its limits; a cut link is opened again where it was cut.
 */
export function createRemoteHost(options: RemoteHostOptions): Host {
  return new RemoteHost(options);
}

class RemoteHost implements Host {
  readonly name: string;
  readonly bringsShell = true;
  readonly #options: RemoteHostOptions;
  readonly #local: Host;
  /** Runs that are over and whose output is here: their directories over there can go. */
  readonly #finished: string[] = [];

  constructor(options: RemoteHostOptions) {
    this.name = options.name;
    this.#options = options;
    this.#local = createLocalHost(options);
  }

  async start(asked: RunRequest): Promise<Run> {
    const { client } = this.#options;
    const request: RunRequest = {
      ...asked,
      shell: this.#options.shell,
      terminal: null,
      ground: null,
    };
    const exports = renderExports(request);
    let directory = '';
    const run = await this.#local.start({
      ...asked,
      ...{ terminal: null, ground: null, preamble: '', atExit: '', pipeStatus: false, cwd: '/' },
      // How long it will wait in a queue nobody knows: its limit is held where it runs.
      ...(client.queues && asked.watcher === 'nobody' ? { timeoutMs: null, jobTimeoutMs: NEVER_MS } : {}),
      env: { ...client.env, NACRE_FAR_EXPORTS: exports },
      place: {
        pipes: null,
        standIn: RELAY,
        settings: `${renderSettings(client, this.#options.stateDirectory)}${renderArray(asked)}`,
        feeds: isFed(asked),
        prepare: (path, id) => {
          directory = path;
          writeFileSync(join(path, 'far'), renderStart(request, id), { mode: 0o600 });
        },
        tree: (root: TreeRoot, surveyor: Surveyor) => new RelayTree(root, { directory, surveyor }),
      },
    });
    const pid = await this.#awaitStart(run, asked);
    const notes =
      asked.terminal === null ? [] : ['There is no terminal on this host: the command ran without one.'];
    const far = new FarRun({ run, pid, notes, bringsShell: asked.shellMark !== undefined });
    void far.ended.then(({ ending, leftovers }) => {
      // Where a start was in doubt its text may still be on the way: it must find that it came too late.
      const isKnown = ending.kind !== 'lost' && !existsSync(join(run.directory, 'far.unsure'));
      if (isKnown && leftovers.length === 0) this.#finished.push(farId(asked) ?? run.id);
    });
    return far;
  }

  async close(): Promise<void> {
    await this.#local.close();
    if (this.#finished.length > 0) await clearFar(this.#options.client, { ids: this.#finished, script: FAR });
    await this.#options.client.close();
  }

  /** The command's number over there, once it is on its way; 0 for one that was ended before anybody knew. */
  async #awaitStart(run: Run, asked: RunRequest): Promise<number> {
    const file = join(run.directory, 'far.state');
    let isOver = false;
    void run.ended.then(() => {
      isOver = true;
    });
    const abort = (): void => void run.stop('abort');
    if (asked.signal?.aborted) abort();
    asked.signal?.addEventListener('abort', abort);
    for (let wait = 1; !existsSync(file) && !isOver; wait = Math.min(wait + 1, 10)) await pause(wait);
    asked.signal?.removeEventListener('abort', abort);
    const [word, value = ''] = read(file).trim().split(' ');
    if (word === 'started') return Number(value);
    // A run that nobody waits for keeps no program alive, but here somebody waits.
    const awake = setInterval(() => undefined, 60_000);
    const { ending } = await run.ended;
    clearInterval(awake);
    if (ending.kind === 'stopped') return 0;
    const reason = read(join(run.directory, 'far.why')).trim() || 'its stand-in ended';
    await forgetRun(run.directory);
    if (value === 'cwd') throw new NacreError('cwd_missing', { cwd: asked.cwd });
    // Without a word nobody knows: who stood in for it may have been killed.
    const code = value === 'unsure' || value === '' ? 'start_unknown' : 'host_unreachable';
    throw new NacreError(code, { host: this.name, reason });
  }
}

function isFed({ input }: RunRequest): boolean {
  return input.kind === 'descriptor' || input.kind === 'open';
}

function renderSettings({ words, opens = '' }: Client, stateDirectory: string): string {
  const key = createHash('sha256').update(JSON.stringify(words)).digest('hex').slice(0, 32);
  const lines = [
    `nacre_client=(${words.map(quote).join(' ')})`,
    `nacre_far_script=${quote(FAR)}`,
    `nacre_far_scripts=${quote(SCRIPTS)}`,
    `nacre_far_place=${quote(join(stateDirectory, 'places', key))}`,
  ];
  return `${lines.join('\n')}\n${opens}`;
}

/** The tasks of an array share a submission, and what they are called over there follows from it. */
function farId({ array }: RunRequest): string | null {
  return array === undefined ? null : `${array.key}t${array.task}`;
}

function renderArray(request: RunRequest): string {
  const { array } = request;
  if (array === undefined) return '';
  const { key, spec, task, submits } = array;
  return `nacre_far_id=${farId(request)} nacre_array=${key} nacre_array_task=${task} nacre_array_spec=${submits ? quote(spec) : ''}\n`;
}

/** The variables of the command, beyond those that the other side has by itself. */
function renderExports(request: RunRequest): string {
  const { env } = renderSpec(request, { id: '', directory: '', bootId: '', now: 0 });
  const lines = Object.entries(env)
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => `export ${name}=${quote(value)}`);
  const text = lines.join('\n');
  if (Buffer.byteLength(text) > MAX_EXPORTS_BYTES)
    throw new NacreError('bad_input', { field: 'env', problem: 'is too long for another machine (120 KiB)' });
  return text;
}

/** What only a start needs. Times are counted from there: clocks differ. */
function renderStart(request: RunRequest, id: string): string {
  const fed: RunRequest = isFed(request) ? { ...request, input: { kind: 'open' } } : request;
  const far = placeShell({ ...fed, watcher: 'nobody' }, `${FAR_DIRECTORY}/shell`);
  const place = { id, directory: FAR_DIRECTORY, bootId: '', now: 0 };
  const slack = request.watcher === 'reader' ? CUT_LINK_SECONDS + Math.ceil(request.graceMs / 1000) : 0;
  const spec = [
    renderSpec(far, place).text,
    'nacre_far=1',
    "printf -v nacre_now '%(%s)T' -1",
    `[[ -z $nacre_deadline ]] || nacre_deadline=$((nacre_now + nacre_deadline + ${slack}))`,
    'nacre_job_deadline=$((nacre_now + nacre_job_deadline))',
    "case $nacre_cwd in '~') nacre_cwd=$HOME ;; '~/'*) nacre_cwd=$HOME/${nacre_cwd:2} ;; esac",
  ].join('\n');
  const lines = [`nacre_where=${quote(request.cwd)}`, `nacre_spec=${quote(spec)}`];
  if (needsPreamble(far)) lines.push(`nacre_preamble=${quote(renderPreamble(far, FAR_DIRECTORY))}`);
  if (needsCommandFile(far)) lines.push(`nacre_long=${quote(request.command)}`);
  if (request.input.kind === 'text') lines.push(`nacre_stdin=${quote(request.input.text)}`);
  return `${lines.join('\n')}\n`;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
