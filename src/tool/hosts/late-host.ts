import type { Host, Run, RunRequest } from '../../engine/hosts/host.ts';

/** A host that is made when it is needed. */
export class LateHost implements Host {
  readonly name: string;
  readonly bringsShell: boolean;
  readonly #make: () => Promise<Host>;
  #made: Promise<Host> | undefined;

  constructor(name: string, bringsShell: boolean, make: () => Promise<Host>) {
    this.name = name;
    this.bringsShell = bringsShell;
    this.#make = make;
  }

  async start(request: RunRequest): Promise<Run> {
    this.#made ??= this.#make();
    // One that could not be made may be there at the next call: a program installed, a key added.
    this.#made.catch(() => {
      this.#made = undefined;
    });
    return (await this.#made).start(request);
  }

  async close(): Promise<void> {
    const made = await this.#made?.catch(() => undefined);
    await made?.close();
  }
}
