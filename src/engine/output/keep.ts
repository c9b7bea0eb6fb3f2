// Placeholder so that the host can be tried; the real one replaces this file.
import { appendFileSync } from 'node:fs';
import type { StreamName } from '../run/files.ts';
export class Keeper {
  #path: string;
  constructor(o: { directory: string; stream: StreamName; limits: object; onFull: () => void }) {
    this.#path = `${o.directory}/${o.stream}`;
  }
  write(chunk: Buffer): void {
    appendFileSync(this.#path, chunk);
  }
  close(): void {}
  notes(): string[] {
    return [];
  }
}
