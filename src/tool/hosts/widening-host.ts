import type { Host, Run, RunRequest } from '../../engine/hosts/host.ts';
import type { SandboxPreset } from '../../engine/hosts/sandbox/sandbox-spec.ts';
import { LateHost } from './late-host.ts';

/** Makes a sandbox: the session's own, or one that a person allowed a call to have. */
export type MakeSandbox = (preset: SandboxPreset | null) => Promise<Host>;

/** A session's sandbox, and beside it wider ones for the calls that were allowed one. */
export class WideningHost implements Host {
  readonly name: string;
  readonly bringsShell = true;
  readonly #make: MakeSandbox;
  readonly #made = new Map<SandboxPreset | null, Host>();

  constructor(name: string, make: MakeSandbox) {
    this.name = name;
    this.#make = make;
  }

  start(request: RunRequest): Promise<Run> {
    const preset = request.preset ?? null;
    const host = this.#made.get(preset) ?? new LateHost(this.name, true, () => this.#make(preset));
    this.#made.set(preset, host);
    return host.start(request);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#made.values()].map((host) => host.close()));
  }
}
