import type { ServerContext } from '@modelcontextprotocol/server';

/** The end of the output that a client is shown while it waits: a few lines, not the whole view. */
const SHOWN_BYTES = 4 * 1024;
/** A sign of life for clients that count the time since the last one. */
const SIGN_OF_LIFE_MS = 10_000;

/** Tells a client that asked for it how its call is doing. While it does not read, older news is dropped. */
export class Progress {
  readonly #ctx: ServerContext;
  readonly #token: string | number | undefined;
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout | undefined;
  #last = 0;
  #isSending = false;
  #next: string | null = null;

  constructor(ctx: ServerContext) {
    this.#ctx = ctx;
    this.#token = ctx.mcpReq._meta?.progressToken;
    if (this.#token === undefined) return;
    this.#timer = setInterval(() => this.tell(this.#elapsed()), SIGN_OF_LIFE_MS);
    this.#timer.unref();
  }

  tell(text: string): void {
    if (this.#token === undefined) return;
    this.#next = endOf(text);
    if (!this.#isSending) void this.#send();
  }

  end(): void {
    clearInterval(this.#timer);
    this.#next = null;
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#next !== null) {
      const message = this.#next;
      this.#next = null;
      // It must rise from one to the next, however close they are.
      this.#last = Math.max(this.#last + 1, Math.round(performance.now() - this.#startedAt));
      const params = { progressToken: this.#token, progress: this.#last, message };
      // A client that is gone ends the call by itself.
      await this.#ctx.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    }
    this.#isSending = false;
  }

  #elapsed(): string {
    return `running for ${Math.round((performance.now() - this.#startedAt) / 1_000)} s`;
  }
}

function endOf(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= SHOWN_BYTES) return text;
  const end = bytes.subarray(-SHOWN_BYTES);
  return end.subarray(end.indexOf(10) + 1).toString('utf8');
}
