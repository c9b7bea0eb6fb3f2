import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NacreError } from '../../../errors.ts';
import { readBootId } from '../../run/record/boot.ts';
import { readWho } from '../../run/record/judge.ts';
import type { Run, RunEnd, RunRequest } from '../../run/request.ts';
import { needsPreamble, renderPreamble } from '../../run/supervise/preamble.ts';
import { needsCommandFile, renderSpec } from '../../run/supervise/spec.ts';
import { ProcReader } from '../../run/tree/proc.ts';
import { signalGroup, type TreeRoot } from '../../run/tree/tree.ts';
import { quote } from '../../text/quote.ts';
import { forgetRun } from '../forget-run.ts';
import type { Host } from '../host.ts';
import { createLocalHost } from '../local.ts';
import { PlacedRun } from '../placed-run.ts';
import { placeShell } from '../placed-shell.ts';
import { SHELLS } from './bwrap-words.ts';
import { DenialWatch } from './denial.ts';
import { takeInnerShell } from './inner-shell.ts';
import { isDirectory } from './mounts.ts';
import { Sandbox } from './sandbox.ts';
import type { SandboxSpec } from './sandbox-spec.ts';
import { SandboxTree } from './sandbox-tree.ts';
import { putFile, type Slot, sendCommand } from './slot.ts';

const STAND_IN = fileURLToPath(new URL('./stand-in.sh', import.meta.url));

export interface SandboxHostOptions {
  readonly spec: SandboxSpec;
  /** The path of bubblewrap. */
  readonly bwrap: string;
  readonly onExit: 'end' | 'keep';
}

/**
 * Runs commands in a sandbox on this machine: one for as long as the host is open, so that a server started by one call
 * is there for the next. It is built with the first command, and refused when it cannot be built.
 */
export function createSandboxHost(options: SandboxHostOptions): Host {
  return new SandboxHost(options);
}

class SandboxHost implements Host {
  readonly name = 'sandbox';
  readonly bringsShell = true;
  readonly #options: SandboxHostOptions;
  readonly #local: Host;
  readonly #live = new Set<string>();
  #sandbox: Promise<Sandbox> | undefined;

  constructor(options: SandboxHostOptions) {
    this.#options = options;
    this.#local = createLocalHost({ stateDirectory: options.spec.stateDirectory, onExit: options.onExit });
  }

  async start(asked: RunRequest): Promise<Run> {
    const { request, notes } = withoutTerminal(asked);
    const sandbox = await this.#open(request.shell);
    const slot = await sandbox.take();
    const denials = new DenialWatch(this.#options.spec, request.command);
    const tree = (root: TreeRoot): SandboxTree => new SandboxTree(root, { ...slot, live: this.#live });
    const run = await this.#local.start({
      ...request,
      ...NOTHING_AROUND,
      cwd: '/',
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
      place: { pipes: slot.directory, standIn: STAND_IN, settings: '', feeds: isFed(request), tree },
      onBytes: (stream, chunk) => {
        denials.see(chunk);
        return request.onBytes?.(stream, chunk);
      },
    });
    this.#live.add(run.id);
    const supervisor = readWho(run.directory)?.supervisor;
    if (supervisor !== undefined) sandbox.keepFor(supervisor);
    await sendCommand(slot, renderText(this.#withProxy(request), { slot, id: run.id }));
    void run.ended.then(() => {
      this.#live.delete(run.id);
      return sandbox.giveBack(slot);
    });
    await this.#awaitEntry(run, slot, request.cwd);
    return new PlacedRun({
      run,
      pid: slot.innerCommand,
      pipeStatus: request.pipeStatus,
      ...(request.shellMark === undefined ? {} : { shell: () => takeInnerShell(slot.init, run.id) }),
      signal: (signal) => signalCommand(slot, signal),
      notes: (end: RunEnd) => [...notes, ...denials.explain(end)],
    });
  }

  /** What is there outside may not be inside, and the other way round: a directory that is not entered is no command that failed. */
  async #awaitEntry(run: Run, { command }: Slot, cwd: string): Promise<void> {
    const { workspace } = this.#options.spec;
    if (cwd === '/' || (`${cwd}/`.startsWith(`${workspace}/`) && isDirectory(cwd))) return;
    let isOver = false;
    void run.ended.then(() => {
      isOver = true;
    });
    // The shell that waits is at the root; from there it goes where its command begins.
    for (let at = whereIs(command); at !== null && !isOver; at = whereIs(command)) {
      if (at !== '/') return;
      await pause(1);
    }
    await run.ended;
    if (!hasFailedToEnter(run.directory)) return;
    await forgetRun(run.directory);
    throw new NacreError('cwd_missing', { cwd });
  }

  async close(): Promise<void> {
    await this.#local.close();
    const sandbox = await this.#sandbox?.catch(() => undefined);
    sandbox?.close();
  }

  /** Programs look here for the way to the network; what a call says itself counts more. */
  #withProxy(request: RunRequest): RunRequest {
    if (typeof this.#options.spec.network === 'string') return request;
    return { ...request, env: { ...PROXY_VARIABLES, ...request.env } };
  }

  async #open(shell: string): Promise<Sandbox> {
    const { spec, bwrap } = this.#options;
    const current = await this.#sandbox?.catch(() => undefined);
    if (current === undefined || current.isGone) this.#sandbox = Sandbox.launch({ spec, bwrap, shell });
    return this.#sandbox as Promise<Sandbox>;
  }
}

const PROXY = 'http://127.0.0.1:3128';
const PROXY_VARIABLES = Object.fromEntries([
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [name, PROXY]),
  ...['NO_PROXY', 'no_proxy'].map((name) => [name, 'localhost,127.0.0.1,::1']),
]);

/** What goes around a command goes with it. */
const NOTHING_AROUND = { pipeStatus: false, ground: null, preamble: '', atExit: '' };

function isFed({ input }: RunRequest): boolean {
  return input.kind === 'text' || input.kind === 'descriptor';
}

/** `null` for a process that is over. */
function whereIs(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

function hasFailedToEnter(directory: string): boolean {
  try {
    return readFileSync(join(directory, 'failed'), 'latin1').trim() === 'cwd';
  } catch {
    return false;
  }
}

/** The command's group, if its number is still the command's. */
function signalCommand({ command, startTime }: Slot, signal: NodeJS.Signals): void {
  const now = new ProcReader().stat(command);
  if (now === null || now.startTime === startTime) signalGroup(command, signal);
}

/** The command and its environment, as the shell inside reads them. */
function renderText(asked: RunRequest, { slot, id }: { slot: Slot; id: string }): string {
  const request = placeShell(asked, `${SHELLS}/${id}`);
  const place = { id, directory: slot.inside, bootId: readBootId(), now: Date.now() };
  const spec = renderSpec(request, place);
  if (needsPreamble(request)) putFile(slot, 'preamble', renderPreamble(request, slot.inside));
  if (needsCommandFile(request)) putFile(slot, 'command', request.command);
  const exports = Object.entries(spec.env)
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name))
    .map(([name, value]) => `export ${name}=${quote(value)}\n`);
  return `${spec.text}${exports.join('')}`;
}

function withoutTerminal(request: RunRequest): { request: RunRequest; notes: readonly string[] } {
  if (request.terminal === null) return { request, notes: [] };
  return {
    request: { ...request, terminal: null },
    notes: ['There is no terminal in a sandbox: the command ran without one.'],
  };
}
