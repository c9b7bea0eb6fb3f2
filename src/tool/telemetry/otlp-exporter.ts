import { type SpanAttributes, STATUS_ERROR, type TraceParent } from '../contract/tracer.ts';

type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Where spans go, and how they are labelled. */
export interface OtlpSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** What the variables of OpenTelemetry say; `null`: no spans are wanted, or not in a way that we can send them. */
export function readOtlpSettings(env: EnvironmentVariables): OtlpSettings | null {
  const value = (name: string): string =>
    env[`OTEL_EXPORTER_OTLP_TRACES_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`] || '';
  const off = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_SAMPLER === 'always_off';
  const other = !['', 'otlp'].includes(env.OTEL_TRACES_EXPORTER?.trim() ?? '');
  // Over HTTP every collector also takes JSON; gRPC is another port and another protocol.
  if (off || other || value('PROTOCOL') === 'grpc') return null;
  const url = toTracesUrl(env);
  if (url === null) return null;
  const timeoutMs = Number(value('TIMEOUT'));
  return {
    url,
    headers: parseKeyValueList(value('HEADERS')),
    resource: {
      ...parseKeyValueList(env.OTEL_RESOURCE_ATTRIBUTES ?? ''),
      ...(env.OTEL_SERVICE_NAME ? { 'service.name': env.OTEL_SERVICE_NAME } : {}),
    },
    timeoutMs: timeoutMs > 0 && timeoutMs <= 60_000 ? timeoutMs : 10_000,
  };
}

/** The endpoint for traces is used as it is, the common one has a path for each kind of signal. */
function toTracesUrl({
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own,
  OTEL_EXPORTER_OTLP_ENDPOINT: common,
}: EnvironmentVariables): string | null {
  try {
    if (own) return requireHttpUrl(new URL(own));
    return common ? requireHttpUrl(new URL(`${common.replace(/\/+$/, '')}/v1/traces`)) : null;
  } catch {
    return null;
  }
}

function requireHttpUrl({ protocol, href }: URL): string | null {
  return protocol === 'http:' || protocol === 'https:' ? href : null;
}

/** `key=value,key=value`, with percent signs for what is special. */
function parseKeyValueList(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at <= 0
      ? []
      : [
          [
            decodeHeaderValue(pair.slice(0, at).trim()),
            decodeHeaderValue(pair.slice(at + 1).trim()),
          ] as const,
        ];
  });
  return Object.fromEntries(pairs);
}

function decodeHeaderValue(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

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
const MAX_QUEUED_SPANS = 2_048;
const MAX_BATCH_SPANS = 512;
const SEND_INTERVAL_MS = 1_000;
const MAX_SEND_ATTEMPTS = 3;
/** What `close` waits for a collector. */
const CLOSE_TIMEOUT_MS = 1_000;

/** Sends spans to a collector, in the background. A collector that is slow or away costs spans, never a call. */
export class OtlpExporter {
  readonly #settings: OtlpSettings;
  readonly #closing = new AbortController();
  #queue: OtlpSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | null = null;
  #failedAttempts = 0;

  constructor(settings: OtlpSettings) {
    this.#settings = settings;
  }

  add(span: OtlpSpan): void {
    this.#queue.push(span);
    if (this.#queue.length > MAX_QUEUED_SPANS) this.#queue.shift();
    this.#schedule();
  }

  /** Sends what is waiting, for a moment; what is left then is lost. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const limit = setTimeout(() => this.#closing.abort(), CLOSE_TIMEOUT_MS);
    await this.#sending;
    while (this.#queue.length > 0 && !this.#closing.signal.aborted) await this.#send();
    clearTimeout(limit);
    this.#queue = [];
  }

  #schedule(): void {
    // Nobody's program stays alive for spans.
    this.#timer ??= setTimeout(
      () => {
        this.#timer = undefined;
        this.#sending ??= this.#send().finally(() => {
          this.#sending = null;
          if (this.#queue.length > 0) this.#schedule();
        });
      },
      SEND_INTERVAL_MS * 2 ** this.#failedAttempts,
    ).unref();
  }

  /** One request. What the collector could not take now is tried again, but not for ever. */
  async #send(): Promise<void> {
    const signal = AbortSignal.any([AbortSignal.timeout(this.#settings.timeoutMs), this.#closing.signal]);
    const batch = this.#queue.splice(0, MAX_BATCH_SPANS);
    const settled = await this.#post(batch, signal);
    this.#failedAttempts = settled ? 0 : this.#failedAttempts + 1;
    if (settled) return;
    if (this.#failedAttempts < MAX_SEND_ATTEMPTS && !this.#closing.signal.aborted)
      this.#queue.unshift(...batch);
    else this.#failedAttempts = 0;
  }

  /** Whether there is nothing more to be done: it was taken, or refused for good. */
  async #post(spans: readonly OtlpSpan[], signal: AbortSignal): Promise<boolean> {
    const { url, headers, resource } = this.#settings;
    const attributes = Object.entries({ 'service.name': 'nacre', ...resource }).map(toOtlpAttribute);
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

export function toOtlpAttribute([key, value]: readonly [string, string | number | boolean]): OtlpAttribute {
  if (typeof value === 'boolean') return { key, value: { boolValue: value } };
  if (typeof value === 'string') return { key, value: { stringValue: value } };
  return { key, value: Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value } };
}

/** OTLP counts the kinds from one. */
const OTLP_KIND_INTERNAL = 1;
const SAMPLED_FLAG = 1;

/** A span that is not over. */
export interface ActiveSpan {
  /** The span as the parent of others. */
  readonly parent: TraceParent;
  end(attributes: SpanAttributes, error: string | null): void;
}

/** Makes spans for an exporter. Those of a trace that nobody records are not sent. */
export class OtlpSpanSource {
  readonly #exporter: Pick<OtlpExporter, 'add'>;

  constructor(exporter: Pick<OtlpExporter, 'add'>) {
    this.#exporter = exporter;
  }

  start(name: string, parent: TraceParent | null): ActiveSpan {
    const traceId = parent?.traceId ?? randomHex(16);
    const spanId = randomHex(8);
    const flags = parent?.flags ?? SAMPLED_FLAG;
    const startedAt = nowUnixNanos();
    return {
      parent: { traceId, spanId, flags },
      end: (attributes, error) => {
        if ((flags & SAMPLED_FLAG) === 0) return;
        this.#exporter.add({
          traceId,
          spanId,
          ...(parent === null ? {} : { parentSpanId: parent.spanId }),
          name,
          kind: OTLP_KIND_INTERNAL,
          startTimeUnixNano: String(startedAt),
          endTimeUnixNano: String(nowUnixNanos()),
          attributes: Object.entries(attributes).map(toOtlpAttribute),
          status: error === null ? { code: 0 } : { code: STATUS_ERROR, message: error },
          flags,
        });
      },
    };
  }
}

/** Milliseconds since 1970 have a fraction here, and nanoseconds fit into no number. */
function nowUnixNanos(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)) * 1_000n;
}

function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex');
}
