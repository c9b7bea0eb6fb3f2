import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { NacreError } from '../../errors.ts';
import { LockOwner } from '../process/file-lock.ts';
import { ProcReader } from '../process/proc-reader.ts';
import { currentProcessIdentity, isProcessAlive, type ProcessIdentity } from '../process/process-identity.ts';
import { createFileAtomically, makePrivateDirectory } from '../process/state-files.ts';

/** A session's reservation of a host. */
export interface HostLease {
  readonly host: string;
  release(): void;
}

interface StoredLease extends ProcessIdentity {
  readonly host: string;
  readonly session: string;
}

/** A program needs the lock for milliseconds. */
const LOCK_TIMEOUT_MS = 5_000;
const LOCK_POLL_MS = 2;

/**
 * Assigns sessions to hosts with one small file per session, in a directory that all programs of this user share.
 *
 * A lease names its process and ends with it.
 */
export class HostLeases {
  readonly #directory: string;
  readonly #owner = new LockOwner(crypto.randomUUID());
  readonly #proc = new ProcReader();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * The host that this session uses already, or the first host with the fewest sessions.
   *
   * @throws {NacreError} `store_unusable` when the lease cannot be written
   */
  take(session: string, hosts: readonly string[]): HostLease {
    const lock = join(this.#directory, 'lock');
    try {
      makePrivateDirectory(this.#directory);
      this.#waitForLock(lock);
      const held = this.#readLive();
      const count = (host: string): number => held.filter((lease) => lease.host === host).length;
      const same = held.find((lease) => lease.session === session && hosts.includes(lease.host));
      const fewest = [...hosts].sort((a, b) => count(a) - count(b))[0] ?? '';
      return this.#write(session, same?.host ?? fewest);
    } catch (error) {
      const reason = (error as Error).message;
      throw new NacreError('store_unusable', { directory: this.#directory, reason }, { cause: error });
    } finally {
      this.#owner.release(lock);
    }
  }

  /**
   * The lock keeps two programs from choosing the same host at the same time. After the timeout the choice is made without
   * it: the holder is alive but stopped, and the worst result is an uneven distribution.
   */
  #waitForLock(lock: string): void {
    const until = performance.now() + LOCK_TIMEOUT_MS;
    while (this.#owner.tryAcquire(lock) === 'held' && performance.now() < until)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS);
  }

  #write(session: string, host: string): HostLease {
    const lease: StoredLease = { host, session, ...currentProcessIdentity() };
    const file = join(this.#directory, `${process.pid}-${crypto.randomUUID()}.json`);
    createFileAtomically(file, JSON.stringify(lease));
    return { host, release: () => rmSync(file, { force: true }) };
  }

  /** Removes the leases of dead processes. */
  #readLive(): StoredLease[] {
    const files = readdirSync(this.#directory).filter((name) => name.endsWith('.json'));
    return files.flatMap((name) => {
      const path = join(this.#directory, name);
      const lease = parseLease(path);
      if (lease !== null && isProcessAlive(lease, this.#proc)) return [lease];
      rmSync(path, { force: true });
      return [];
    });
  }
}

function parseLease(path: string): StoredLease | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as StoredLease;
  } catch {
    return null;
  }
}
