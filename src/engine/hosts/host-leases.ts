import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProcReader } from '../process/proc-reader.ts';

/** A session's place on a host. */
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
 * Who is where: one small file for each session that holds a host, under a directory that all programs of this user share.
 *
 * A lease ends with the program that took it, however that ended: it names the process, and one that is gone holds nothing.
 */
export class HostLeases {
  readonly #directory: string;
  readonly #proc = new ProcReader();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The host that this session is on already, or the one with the fewest sessions; the first of them if several. */
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

  /** Those whose program lives; the others are cleared away. */
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

  /** Two programs that look at the same time would both take the same host. A directory is made by one of them. */
  #alone<T>(work: () => T): T {
    const lock = join(this.#directory, 'lock');
    const until = performance.now() + LOCK_TIMEOUT_MS;
    while (!tryMakeDirectory(lock)) {
      // Whoever holds it longer than this died with it.
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
    // Somebody else did.
  }
}

function parseLease(path: string): StoredLease | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as StoredLease;
  } catch {
    return null;
  }
}
