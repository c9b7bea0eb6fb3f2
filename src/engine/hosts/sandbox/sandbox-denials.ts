import type { RunEnd } from '../../run/run-request.ts';
import type { SandboxSpec } from './sandbox-spec.ts';

/** Error messages are expected in the last bytes of the output. */
const WATCHED_BYTES = 16 * 1024;

interface DenialPattern {
  readonly pattern: RegExp;
  readonly explain: (spec: SandboxSpec, text: string) => string | null;
}

const DENIALS: readonly DenialPattern[] = [
  {
    pattern: /Read-only file system|EROFS/i,
    explain: ({ workspace, isWorkspaceWritable, writable, stateDirectory }) => {
      const listed = writable
        .filter((path) => !isWorkspaceWritable || !path.startsWith(`${workspace}/`))
        .map((path) => (path.startsWith(`${stateDirectory}/`) ? 'local://' : path));
      const directories = [...(isWorkspaceWritable ? [workspace] : []), ...listed, '/tmp', 'a private home'];
      return `Writing is allowed only in ${directories.join(', ')}: "Read-only file system" is the sandbox, not the disk.`;
    },
  },
  {
    pattern:
      /Could not resolve|Temporary failure in name resolution|Network is unreachable|ENETUNREACH|EAI_AGAIN|ENOTFOUND|getaddrinfo|Name or service not known|failed to lookup address|no such host|unable to resolve/i,
    explain: ({ network }) => explainNetwork(network),
  },
  {
    // Loopback works without a network, so this note is a hint for commands that expected another host.
    pattern: /Connection refused|ECONNREFUSED|Failed to connect|Could not connect/i,
    explain: ({ network }) =>
      network === 'off'
        ? 'The sandbox has no network: 127.0.0.1 is the sandbox itself and reaches only servers started in it.'
        : null,
  },
  {
    pattern: /No such file or directory|ENOENT|cannot find/i,
    explain: ({ home, workspace }, text) => {
      const isVisible = `${home}/`.startsWith(`${workspace}/`) || `${workspace}/`.startsWith(`${home}/`);
      return !isVisible && text.includes(`${home}/`)
        ? `The home directory in the sandbox (${home}) is private: of the real one only installed programs are visible.`
        : null;
    },
  },
  {
    pattern: /not on the sandbox's list/,
    explain: ({ network }) =>
      typeof network === 'string'
        ? null
        : `The sandbox reaches only ${network.allow.join(', ') || 'no host'}.`,
  },
  {
    pattern: /fork: (?:retry: )?Resource temporarily unavailable|Cannot fork|EAGAIN.*spawn|spawn.*EAGAIN/,
    explain: ({ limits }) =>
      limits.processes === null ? null : `The sandbox holds at most ${limits.processes} processes.`,
  },
  {
    pattern: /No space left on device|ENOSPC/,
    explain: ({ limits }) =>
      `Each scratch directory of the sandbox holds ${Math.round(limits.scratchBytes / 2 ** 20)} MiB.`,
  },
  {
    pattern: /Operation not permitted|EPERM|Permission denied|EACCES/i,
    explain: ({ unixSockets }) =>
      `Commands in the sandbox have the rights of an ordinary user: no mounts, no new namespaces, no debugging, no setuid files${unixSockets ? '' : ', no Unix sockets'}.`,
  },
];

function explainNetwork(network: SandboxSpec['network']): string | null {
  if (network === 'on') return null;
  if (network === 'off') return 'The sandbox has no network.';
  return `The sandbox reaches only ${network.allow.join(', ') || 'no host'}, and only through the proxy that HTTP_PROXY and HTTPS_PROXY name.`;
}

/** Programs with a silent mode, and their exit codes when a host is not found or not reached. */
const SILENT_NETWORK_FAILURES: readonly (readonly [RegExp, readonly number[]])[] = [
  [/\bcurl\b/, [5, 6, 7]],
  [/\bwget\b/, [4]],
];

/** Explains errors that the sandbox caused, from the output of the command. */
export class DenialDetector {
  readonly #spec: SandboxSpec;
  readonly #command: string;
  #tail: Buffer = Buffer.alloc(0);

  constructor(spec: SandboxSpec, command: string) {
    this.#spec = spec;
    this.#command = command;
  }

  write(chunk: Buffer): void {
    const joined = Buffer.concat([this.#tail, chunk.subarray(-WATCHED_BYTES)]);
    this.#tail = Buffer.from(joined.subarray(-WATCHED_BYTES));
  }

  /** Returns notes for a command that failed. */
  explain({ ending }: RunEnd): readonly string[] {
    if (ending.kind === 'exited' && ending.exitCode === 0) return [];
    const text = this.#tail.toString('utf8');
    const notes = DENIALS.filter(({ pattern }) => pattern.test(text))
      .map(({ explain }) => explain(this.#spec, text))
      .filter((note) => note !== null);
    const network = explainNetwork(this.#spec.network);
    if (notes.length === 0 && network !== null && this.#isSilentDenial(ending)) notes.push(network);
    const isKilled = ending.kind === 'signaled' && ending.number === 9;
    const { memoryBytes } = this.#spec.limits;
    if (isKilled && memoryBytes !== null)
      notes.push(
        `The sandbox may use ${Math.round(memoryBytes / 2 ** 20)} MiB of memory; processes that exceed it are killed.`,
      );
    return notes;
  }

  #isSilentDenial(ending: RunEnd['ending']): boolean {
    if (ending.kind !== 'exited') return false;
    return SILENT_NETWORK_FAILURES.some(
      ([program, codes]) => codes.includes(ending.exitCode) && program.test(this.#command),
    );
  }
}
