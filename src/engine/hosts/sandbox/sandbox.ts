import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { errorMessage, NacreError } from '../../../errors.ts';
import { childPidsOf, ProcReader } from '../../process/proc-reader.ts';
import { createRunId } from '../../run/run-files.ts';
import { onSocketLine } from '../../run/supervisor.ts';
import { shellQuote } from '../../text/shell-quote.ts';
import {
  type BwrapParts,
  closeMounts,
  fixedBinds,
  type OpenMount,
  openMounts,
  renderBwrapArguments,
  resolveScratchBytes,
  SHELL_DUMP_DIRECTORY,
} from './bwrap-arguments.ts';
import { type AppliedLimits, applyLimits, removeCgroups } from './cgroup-limits.ts';
import {
  isSlotHeld,
  openSandboxSlot,
  removeSandboxSlot,
  removeSlotFiles,
  type SandboxSlot,
  sendSlotVerdict,
} from './sandbox-slot.ts';
import type { SandboxSpec } from './sandbox-spec.ts';
import { assembleSeccompFilter } from './seccomp-filter.ts';
import { findWrongMount, type MountPlan, readMounts } from './verify-mounts.ts';

const SANDBOX_SUPERVISOR_SCRIPT = fileURLToPath(new URL('./sandbox-supervisor.sh', import.meta.url));
const NETWORK_BRIDGE_SCRIPT = fileURLToPath(new URL('./network-bridge.mjs', import.meta.url));
const SANDBOX_INIT_SCRIPT = fileURLToPath(new URL('./sandbox-init.sh', import.meta.url));

/** Waiting shells that are kept ready. */
const SPARE_SLOTS = 2;
/** After this many invalid slots in a row the command is refused. */
const MAX_SPOILT_SLOTS = 6;

/** Descriptors of the sandbox supervisor and of bwrap. */
const FILTER_FD = 5;
const GATE_FD = 8;
/** How long bwrap may take to unmount the machine's root. */
const SETUP_MS = 10_000;

interface SandboxParts {
  readonly spec: SandboxSpec;
  readonly bwrap: string;
  /** The path of bash, inside and outside. */
  readonly shell: string;
}

/** A sandbox that exists until it is closed and no run is left in it. */
export class Sandbox {
  /** Resolves with the error message when the sandbox has ended. */
  readonly gone: Promise<string>;
  /** Size of each scratch directory. */
  readonly scratchBytes: number;
  readonly #slots: string;
  readonly #socket: Socket;
  readonly #spareSlots: Promise<SandboxSlot>[] = [];
  /** Resolvers of requested slots, in the order of the requests. */
  readonly #requestedSlots: ((slot: Promise<SandboxSlot>) => void)[] = [];
  #slotCount = 0;
  #bwrapPid = 0;
  #isGone = false;

  private constructor(directory: string, supervisor: ChildProcess, scratchBytes: number) {
    this.scratchBytes = scratchBytes;
    this.#slots = join(directory, 'slots');
    this.#socket = supervisor.stdio[3] as Socket;
    this.gone = new Promise((resolve) => {
      const onGone = (): void => {
        this.#isGone = true;
        const reason = readSandboxError(directory);
        for (const resolveSlot of this.#requestedSlots.splice(0))
          resolveSlot(Promise.reject(sandboxUnavailable(reason)));
        resolve(reason);
      };
      onSocketLine(this.#socket, (line) => {
        const [word, first = ''] = line.split(' ');
        if (word === 'sandbox') this.#bwrapPid = Number(first);
        else if (word === 'slot') this.#requestedSlots.shift()?.(this.#openSlot(first));
        else if (word === 'gone') onGone();
      });
      this.#socket.on('close', onGone);
      this.#socket.on('error', onGone);
      supervisor.on('error', onGone);
    });
  }

  /** Builds a sandbox, or rejects with the reason: no command ever runs without it. */
  static async launch({ spec, bwrap, shell }: SandboxParts): Promise<Sandbox> {
    const filter = assembleSeccompFilter(
      { unixSockets: spec.unixSockets, isRoot: process.getuid?.() === 0 },
      process.arch,
    );
    if (filter === null) throw sandboxUnavailable(`there is no system call filter for ${process.arch}`);
    const id = createRunId();
    const allow = typeof spec.network === 'string' ? null : spec.network.allow;
    const directory = join(spec.stateDirectory, 'sandboxes', id);
    const limits = applyLimits(spec.limits, id);
    let mounts: readonly OpenMount[] = [];
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const filterFile = join(directory, 'filter');
      writeFileSync(filterFile, filter, { mode: 0o600 });
      mounts = openMounts(spec);
      const scratchBytes = resolveScratchBytes(spec.limits, { memory: limits.memory, mounts });
      const rendered = { ...spec, limits: { ...spec.limits, scratchBytes } };
      const machine = readMounts('self');
      const parts: BwrapParts = {
        bwrap,
        mounts,
        slots: join(directory, 'slots'),
        inside: SANDBOX_INIT_SCRIPT,
        filterFd: FILTER_FD,
        gateFd: GATE_FD,
        bridge: allow === null ? null : { script: NETWORK_BRIDGE_SCRIPT, node: process.execPath },
        program: [
          shell,
          '--noprofile',
          '--norc',
          '/run/nacre-inside',
          'agent',
          ...toInnerLimits(spec, limits),
          allow === null ? '' : 'bridge',
        ],
      };
      const toArray = (words: readonly string[]): string => `(${words.map(shellQuote).join(' ')})`;
      const text = `nacre_groups=${toArray(limits.cgroupFiles)}\nnacre_bwrap=${toArray(renderBwrapArguments(rendered, parts))}\n`;
      writeFileSync(join(directory, 'spec'), text, { mode: 0o600 });
      const supervisor = startSandboxSupervisor({ shell, directory, filterFile, isBridged: allow !== null });
      if (allow !== null) await openProxy(supervisor, allow);
      const sandbox = new Sandbox(directory, supervisor, scratchBytes);
      for (let slot = 0; slot < SPARE_SLOTS; slot++) sandbox.#requestSlot();
      await sandbox.#whileAlive(
        sandbox.#openGate(join(directory, 'gate'), { mounts, binds: fixedBinds(parts), machine }),
      );
      await sandbox.#whileAlive(sandbox.#spareSlots[0]);
      return sandbox;
    } catch (cause) {
      removeCgroups(limits);
      throw cause instanceof NacreError ? cause : sandboxUnavailable(errorMessage(cause));
    } finally {
      closeMounts(mounts);
    }
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Resolves with a shell that waits for its command. */
  async takeSlot(): Promise<SandboxSlot> {
    for (let tries = 0; tries < MAX_SPOILT_SLOTS; tries++) {
      if (this.#isGone) throw sandboxUnavailable('it has ended');
      if (this.#spareSlots.length === 0) this.#requestSlot();
      try {
        return await this.#whileAlive(this.#spareSlots.shift());
      } catch (error) {
        if (error instanceof NacreError) throw error;
        // A process inside wrote to the slot's pipe: the slot is abandoned, the next one has new pipes.
      }
    }
    throw sandboxUnavailable('a process inside interferes with the waiting shells');
  }

  /** Recycles or removes the slot of a finished run. */
  async releaseSlot(slot: SandboxSlot): Promise<void> {
    removeSlotFiles(slot);
    const isFree = !this.#isGone && this.#spareSlots.length < SPARE_SLOTS && !isSlotHeld(slot);
    try {
      // The reader is opened before the slot runner can answer.
      const next = isFree ? this.#openSlot(slot.name) : null;
      next?.catch(() => undefined);
      await sendSlotVerdict(slot, isFree ? 'again' : 'done');
      if (next !== null) this.#spareSlots.push(next);
    } catch {
      // The slot runner is gone.
    }
    if (!isFree) removeSandboxSlot(slot);
    if (!this.#isGone && this.#spareSlots.length < SPARE_SLOTS) this.#requestSlot();
  }

  /** Keeps the sandbox alive until this supervisor has exited, even if the caller exits first. */
  keepAliveFor(supervisor: { readonly pid: number; readonly startTime: number }): void {
    this.#send(`run ${supervisor.pid} ${supervisor.startTime}`);
  }

  /** Ends the sandbox when no run is left in it; jobs continue. */
  close(): void {
    this.#send('close');
    this.#socket.end();
  }

  /** Only a pending operation keeps this process alive, not the sandbox itself. */
  async #whileAlive<T>(waiting: Promise<T> | undefined): Promise<T> {
    this.#socket.ref();
    try {
      const lost = this.gone.then((reason) => Promise.reject(sandboxUnavailable(reason)));
      return (await Promise.race([waiting, lost])) as T;
    } finally {
      this.#socket.unref();
    }
  }

  /** Starts the first program if all mounts are as planned; otherwise closes the sandbox. */
  async #openGate(gate: string, plan: MountPlan): Promise<void> {
    let pid = 0;
    const deadline = Date.now() + SETUP_MS;
    while (!isBuilt(readMounts(pid), deadline)) {
      if (this.#isGone) return;
      await pause(1);
      pid = this.#bwrapPid === 0 ? 0 : this.#init();
    }
    try {
      const wrong = findWrongMount(pid, plan);
      if (wrong !== null)
        throw sandboxUnavailable(`${wrong} was replaced while the sandbox was built. Run the command again`);
      const fd = openSync(gate, constants.O_WRONLY | constants.O_NONBLOCK);
      writeSync(fd, 'x');
      closeSync(fd);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  #init(): number {
    return childPidsOf(this.#bwrapPid, new ProcReader())[0] ?? 0;
  }

  #openSlot(name: string): Promise<SandboxSlot> {
    return openSandboxSlot({ name, slots: this.#slots, init: () => this.#init() });
  }

  #requestSlot(): void {
    const slot = new Promise<SandboxSlot>((resolve) => this.#requestedSlots.push(resolve));
    slot.catch(() => undefined);
    this.#spareSlots.push(slot);
    this.#send(`slot ${++this.#slotCount}`);
  }

  #send(line: string): void {
    if (!this.#socket.destroyed) this.#socket.write(`${line}\n`);
  }
}

/**
 * The last mount appears at its path when the sandbox's root has become `/`; shortly after, `/oldroot` is
 * unmounted. A machine may have a mount at `/oldroot` itself: then the deadline passes and the comparison
 * decides.
 */
function isBuilt(mounts: ReturnType<typeof readMounts>, deadline: number): boolean {
  const has = (wanted: string): boolean => mounts.some(({ path }) => path === wanted);
  return has(SHELL_DUMP_DIRECTORY) && (!has('/oldroot') || Date.now() > deadline);
}

interface SandboxSupervisorParts {
  readonly shell: string;
  readonly directory: string;
  readonly filterFile: string;
  readonly isBridged: boolean;
}

/** Imported on demand, because most sandboxes need no proxy. */
async function openProxy(supervisor: ChildProcess, allow: readonly string[]): Promise<void> {
  const { serveProxy } = await import('./network-proxy.ts');
  const channel = (supervisor.stdio as readonly unknown[])[6] as Socket;
  channel.unref();
  serveProxy(channel, allow);
}

function startSandboxSupervisor(parts: SandboxSupervisorParts): ChildProcess {
  const files: number[] = [];
  try {
    files.push(openSync(SANDBOX_SUPERVISOR_SCRIPT, 'r'), openSync(parts.filterFile, 'r'));
    const child = spawn(parts.shell, ['/dev/fd/4'], {
      argv0: 'nacre',
      cwd: parts.directory,
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
      detached: true,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', ...files, parts.isBridged ? 'pipe' : 'ignore'],
    });
    child.unref();
    return child;
  } finally {
    for (const fd of files) closeSync(fd);
  }
}

function toInnerLimits({ limits }: SandboxSpec, applied: AppliedLimits): string[] {
  const processes = applied.processes === 'rlimit' ? (limits.processes ?? 0) : 0;
  const dataKib = applied.memory === 'rlimit' ? Math.floor((limits.memoryBytes ?? 0) / 1024) : 0;
  return [String(processes), String(dataKib)];
}

function readSandboxError(directory: string): string {
  try {
    return (
      readFileSync(join(directory, 'error'), 'utf8').trim().split('\n').at(-1) ||
      'it ended without an error message'
    );
  } catch {
    return 'it ended';
  }
}

function sandboxUnavailable(reason: string): NacreError {
  return new NacreError('sandbox_unavailable', { reason });
}
