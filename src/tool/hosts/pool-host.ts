import { join } from 'node:path';
import type { Host, Run, RunRequest } from '../../engine/hosts/host.ts';
import { type HostLease, HostLeases } from '../../engine/hosts/host-leases.ts';
import { type ErrorCode, NacreError } from '../../errors.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import type { PoolConfig } from '../options/host-config.ts';

interface PoolCreation {
  readonly name: string;
  readonly session: string;
  readonly options: ResolvedOptions;
  readonly open: (name: string) => Host;
}

/** A host that assigns each session the pool member with the fewest sessions. */
export class PoolHost implements Host {
  readonly name: string;
  readonly #creation: PoolCreation;
  readonly #hosts: readonly string[];
  readonly #leases: HostLeases;
  #lease: HostLease | undefined;
  #host: Host | undefined;
  #hasRun = false;
  #firstStart: Promise<void> | undefined;

  constructor({ hosts }: PoolConfig, creation: PoolCreation) {
    this.name = creation.name;
    this.#hosts = hosts;
    this.#creation = creation;
    this.#leases = new HostLeases(join(creation.options.stateDirectory, 'pools', creation.name));
  }

  /**
   * The first command tries further members while hosts are unreachable. Later commands stay on the member,
   * because the session has files and jobs there. Concurrent first commands are serialized so that they agree
   * on one member.
   */
  async start(request: RunRequest): Promise<Run> {
    while (!this.#hasRun && this.#firstStart !== undefined) await this.#firstStart;
    if (this.#host !== undefined && this.#hasRun) return this.#host.start(request);
    const started = this.#startOnFirstReachable(request);
    this.#firstStart = started.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await started;
    } finally {
      this.#firstStart = undefined;
    }
  }

  async #startOnFirstReachable(request: RunRequest): Promise<Run> {
    const tried: string[] = [];
    for (;;) {
      const host = this.#host ?? this.#claimHost(tried);
      try {
        const run = await host.start(request);
        this.#hasRun = true;
        return run;
      } catch (error) {
        // After `start_unknown` the command may be running: it is not retried, and the session stays on this
        // member.
        this.#hasRun = hasErrorCode(error, 'start_unknown');
        if (!hasErrorCode(error, 'host_unreachable') || tried.length + 1 >= this.#hosts.length) throw error;
        tried.push(this.#lease?.host ?? '');
        await this.#releaseHost();
      }
    }
  }

  async close(): Promise<void> {
    await this.#releaseHost();
  }

  #claimHost(tried: readonly string[]): Host {
    const { session, open } = this.#creation;
    const hosts = this.#hosts.filter((name) => !tried.includes(name));
    this.#lease = this.#leases.take(session, hosts);
    this.#host = open(this.#lease.host);
    return this.#host;
  }

  async #releaseHost(): Promise<void> {
    const host = this.#host;
    this.#host = undefined;
    this.#lease?.release();
    await host?.close();
  }
}

function hasErrorCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof NacreError && error.code === code;
}
