import type { OtlpSettings } from './otlp-settings.ts';

/** A span as OTLP writes it in JSON. */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly status: { readonly code: number; readonly message?: string };
  readonly flags: number;
}

export interface OtlpAttribute {
  readonly key: string;
  readonly value: object;
}

/** More than this waits for nobody: the oldest go. */
const MOST_WAITING = 2_048;
const MOST_AT_ONCE = 512;
const EVERY_MS = 1_000;
const MOST_TRIES = 3;
/** What `close` waits for a collector. */
const CLOSE_MS = 1_000;

/** Sends spans to a collector, in the background. A collector that is slow or away costs spans, never a call. */
export class OtlpExporter {
  readonly #settings: OtlpSettings;
  readonly #closing = new AbortController();
  #waiting: OtlpSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | null = null;
  #tries = 0;

  constructor(settings: OtlpSettings) {
    this.#settings = settings;
  }

  add(span: OtlpSpan): void {
    this.#waiting.push(span);
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
    this.#schedule();
  }

  /** Sends what is waiting, for a moment; what is left then is lost. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const limit = setTimeout(() => this.#closing.abort(), CLOSE_MS);
    await this.#sending;
    while (this.#waiting.length > 0 && !this.#closing.signal.aborted) await this.#send();
    clearTimeout(limit);
    this.#waiting = [];
  }

  #schedule(): void {
    // Nobody's program stays alive for spans.
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        this.#sending ??= this.#send().finally(() => {
          this.#sending = null;
          if (this.#waiting.length > 0) this.#schedule();
        });
      },
      EVERY_MS * 2 ** this.#tries,
    ).unref();
  }

  /** One request. What the collector could not take now is tried again, but not for ever. */
  async #send(): Promise<void> {
    const signal = AbortSignal.any([AbortSignal.timeout(this.#settings.timeoutMs), this.#closing.signal]);
    const batch = this.#waiting.splice(0, MOST_AT_ONCE);
    const settled = await this.#post(batch, signal);
    this.#tries = settled ? 0 : this.#tries + 1;
    if (settled) return;
    if (this.#tries < MOST_TRIES && !this.#closing.signal.aborted) this.#waiting.unshift(...batch);
    else this.#tries = 0;
  }

  /** Whether there is nothing more to be done: it was taken, or refused for good. */
  async #post(spans: readonly OtlpSpan[], signal: AbortSignal): Promise<boolean> {
    const { url, headers, resource } = this.#settings;
    const attributes = Object.entries({ 'service.name': 'nacre', ...resource }).map(toAttribute);
    const scopeSpans = [{ scope: { name: 'nacre' }, spans }];
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ resourceSpans: [{ resource: { attributes }, scopeSpans }] }),
        redirect: 'error',
        signal,
      });
      await response.body?.cancel();
      return ![429, 502, 503, 504].includes(response.status);
    } catch {
      return false;
    }
  }
}

export function toAttribute([key, value]: readonly [string, string | number | boolean]): OtlpAttribute {
  if (typeof value === 'boolean') return { key, value: { boolValue: value } };
  if (typeof value === 'string') return { key, value: { stringValue: value } };
  return { key, value: Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value } };
}
