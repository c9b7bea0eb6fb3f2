import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NacreError } from '../../../errors.ts';
import { ProcReader, readBootId, readProcLink } from '../../process/proc-reader.ts';
import { type ProcessTreeRoot, signalProcessGroup } from '../../process/process-tree.ts';
import { readTextFile } from '../../process/state-files.ts';
import { needsPreamble, renderPreamble } from '../../run/command-preamble.ts';
import type { Run, RunEnd, RunRequest } from '../../run/run-request.ts';
import { readRunProcesses } from '../../run/run-state.ts';
import { needsCommandFile, renderSupervisorSpec } from '../../run/supervisor-spec.ts';
import {
  ExternalRun,
  insertShellDumpPath,
  removeRunDirectory,
  renderCommandExports,
} from '../external-run.ts';
import type { Host } from '../host.ts';
import { createLocalHost } from '../local-host.ts';
import { isDirectory, SHELL_DUMP_DIRECTORY } from './bwrap-arguments.ts';
import { Sandbox } from './sandbox.ts';
import { DenialDetector } from './sandbox-denials.ts';
import { SandboxProcessTree } from './sandbox-process-tree.ts';
import { type SandboxSlot, sendSlotCommand, takeSandboxShellDump, writeSlotFile } from './sandbox-slot.ts';
import type { SandboxSpec } from './sandbox-spec.ts';

const PROXY_PROCESS_SCRIPT = fileURLToPath(new URL('./proxy-process.sh', import.meta.url));

interface SandboxHostOptions {
  readonly spec: SandboxSpec;
  /** The path of bubblewrap. */
  readonly bwrap: string;
  readonly onExit: 'end' | 'keep';
}

/**
 * Creates a host that runs commands in a sandbox on this machine. The sandbox is built for the first command
 * and kept until the host is closed, so that a server started by one call is reachable in the next.
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

  async start(original: RunRequest): Promise<Run> {
    const { spec } = this.#options;
    const { request, notes } = withoutTerminal(original);
    const sandbox = await this.#open(request.shell);
    const slot = await sandbox.takeSlot();
    const denials = new DenialDetector(
      { ...spec, limits: { ...spec.limits, scratchBytes: sandbox.scratchBytes } },
      request.command,
    );
    const tree = (root: ProcessTreeRoot): SandboxProcessTree =>
      new SandboxProcessTree(root, { ...slot, live: this.#live });
    const run = await this.#local.start({
      ...request,
      ...NO_PREAMBLE,
      cwd: '/',
      env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
      external: {
        pipes: slot.directory,
        proxyProcess: PROXY_PROCESS_SCRIPT,
        settings: '',
        forwardsInput: hasForwardedInput(request),
        tree,
      },
      onBytes: (stream, chunk) => {
        denials.write(chunk);
        return request.onBytes?.(stream, chunk);
      },
    });
    this.#live.add(run.id);
    const supervisor = readRunProcesses(run.directory)?.supervisor;
    if (supervisor !== undefined) sandbox.keepAliveFor(supervisor);
    await sendSlotCommand(slot, renderSlotCommand(this.#withProxy(request), { slot, id: run.id }));
    void run.ended.then(() => {
      this.#live.delete(run.id);
      return sandbox.releaseSlot(slot);
    });
    await this.#awaitEntry(run, slot, request.cwd);
    return new ExternalRun({
      run,
      pid: slot.innerCommand,
      pipeStatus: request.pipeStatus,
      ...(request.shellMark === undefined ? {} : { shell: () => takeSandboxShellDump(slot.init, run.id) }),
      signal: (signal) => signalSandboxedCommand(slot, signal),
      notes: (end: RunEnd) => [...notes, ...denials.explain(end)],
    });
  }

  /**
   * A directory may exist only inside or only outside, so the error for a missing one comes from the sandbox.
   */
  async #awaitEntry(run: Run, { command }: SandboxSlot, cwd: string): Promise<void> {
    const { workspace } = this.#options.spec;
    if (cwd === '/' || (`${cwd}/`.startsWith(`${workspace}/`) && isDirectory(cwd))) return;
    let isOver = false;
    void run.ended.then(() => {
      isOver = true;
    });
    // The waiting shell is in `/` and changes to the directory right before the command.
    const currentCwd = (): string | null => readProcLink(`/proc/${command}/cwd`);
    for (let current = currentCwd(); current !== null && !isOver; current = currentCwd()) {
      if (current !== '/') return;
      await pause(1);
    }
    await run.ended;
    if (readTextFile(join(run.directory, 'failed'))?.trim() !== 'cwd') return;
    await removeRunDirectory(run.directory);
    throw new NacreError('cwd_missing', { cwd });
  }

  async close(): Promise<void> {
    await this.#local.close();
    const sandbox = await this.#sandbox?.catch(() => undefined);
    sandbox?.close();
  }

  /** Adds the proxy variables; variables of the call take precedence. */
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

/** The preamble runs with the command inside the sandbox, not in the proxy process. */
const NO_PREAMBLE = {
  pipeStatus: false,
  baseEnvironment: null,
  preamble: '',
  atExit: '',
} satisfies Partial<RunRequest>;

function hasForwardedInput({ input }: RunRequest): boolean {
  return input.kind === 'text' || input.kind === 'descriptor';
}

/** Signals the process group, unless the pid was reused. */
function signalSandboxedCommand({ command, startTime }: SandboxSlot, signal: NodeJS.Signals): void {
  const now = new ProcReader().stat(command);
  if (now === null || now.startTime === startTime) signalProcessGroup(command, signal);
}

/** Renders the command and its environment as the text that the slot's shell evaluates. */
function renderSlotCommand(original: RunRequest, { slot, id }: { slot: SandboxSlot; id: string }): string {
  const request = insertShellDumpPath(original, `${SHELL_DUMP_DIRECTORY}/${id}`);
  const target = { id, directory: slot.inside, bootId: readBootId(), now: Date.now() };
  const spec = renderSupervisorSpec(request, target);
  if (needsPreamble(request)) writeSlotFile(slot, 'preamble', renderPreamble(request, slot.inside));
  if (needsCommandFile(request)) writeSlotFile(slot, 'command', request.command);
  return `${spec.text}${renderCommandExports(spec.env)}\n`;
}

function withoutTerminal(request: RunRequest): { request: RunRequest; notes: readonly string[] } {
  if (request.terminal === null) return { request, notes: [] };
  return {
    request: { ...request, terminal: null },
    notes: ['The sandbox has no terminals: the command ran without one.'],
  };
}
