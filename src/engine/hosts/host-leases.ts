import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProcReader } from '../process/proc-reader.ts';

/** A session's reservation of a host. */
export interface HostLease {
  readonly host: string;
  release(): void;
}

interface StoredLease {
  readonly host: string;
  readonly session: string;
  readonly pid: number;
  readonly startTime: number;
}

const LOCK_TIMEOUT_MS = 5_000;

/**
 * Assigns sessions to hosts, with one file per session in a directory that all processes of the user share.
 *
 * A lease names the process that took it and is void when that process is gone.
 */
export class HostLeases {
  readonly #directory: string;
  readonly #proc = new ProcReader();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Returns the host that the session already has, otherwise the first host with the fewest sessions. */
  take(session: string, hosts: readonly string[]): HostLease {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    return this.#alone(() => {
      const held = this.#held();
      const count = (host: string): number => held.filter((lease) => lease.host === host).length;
      const same = held.find((lease) => lease.session === session && hosts.includes(lease.host));
      const fewest = [...hosts].sort((a, b) => count(a) - count(b))[0] ?? '';
      return this.#write(session, same?.host ?? fewest);
    });
  }

  #write(session: string, host: string): HostLease {
    const { pid } = process;
    const startTime = this.#proc.stat(pid)?.startTime ?? 0;
    const file = join(this.#directory, `${pid}-${Math.random().toString(36).slice(2)}.json`);
    const lease: StoredLease = { host, session, pid, startTime };
    writeFileSync(file, JSON.stringify(lease), { mode: 0o600, flag: 'wx' });
    return { host, release: () => rmSync(file, { force: true }) };
  }

  /** Leases of live processes; the files of other leases are removed. */
  #held(): StoredLease[] {
    const files = readdirSync(this.#directory).filter((name) => name.endsWith('.json'));
    return files.flatMap((name) => {
      const path = join(this.#directory, name);
      const lease = parseLease(path);
      const isLive = lease !== null && this.#proc.stat(lease.pid)?.startTime === lease.startTime;
      if (!isLive) rmSync(path, { force: true });
      return lease !== null && isLive ? [lease] : [];
    });
  }

  /** Serializes processes with a lock directory: otherwise two of them could choose the same host. */
  #alone<T>(work: () => T): T {
    const lock = join(this.#directory, 'lock');
    const until = performance.now() + LOCK_TIMEOUT_MS;
    while (!tryMakeDirectory(lock)) {
      // The holder of a lock this old has died.
      if (performance.now() > until) tryRemoveDirectory(lock);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
    try {
      return work();
    } finally {
      tryRemoveDirectory(lock);
    }
  }
}

function tryMakeDirectory(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}

function tryRemoveDirectory(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Another process removed it.
  }
}

function parseLease(path: string): StoredLease | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as StoredLease;
  } catch {
    return null;
  }
}
