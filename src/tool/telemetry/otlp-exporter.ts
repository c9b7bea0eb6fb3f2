import { type SpanAttributes, STATUS_ERROR, type TraceParent } from '../contract/tracer.ts';

type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Endpoint, headers and resource attributes for the export of spans. */
export interface OtlpSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Reads the OpenTelemetry variables; `null` when no export is configured or its protocol is not supported. */
export function readOtlpSettings(env: EnvironmentVariables): OtlpSettings | null {
  const value = (name: string): string =>
    env[`OTEL_EXPORTER_OTLP_TRACES_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`] || '';
  const off = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_SAMPLER === 'always_off';
  const other = !['', 'otlp'].includes(env.OTEL_TRACES_EXPORTER?.trim() ?? '');
  // OTLP over HTTP accepts JSON; gRPC is not supported.
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

/** The traces endpoint is used unchanged; `/v1/traces` is appended to the common endpoint. */
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

/** Parses `key=value,key=value` with percent encoding. */
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

/** A span in the JSON encoding of OTLP. */
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

/** The oldest spans are dropped beyond this number. */
const MAX_QUEUED_SPANS = 2_048;
const MAX_BATCH_SPANS = 512;
const SEND_INTERVAL_MS = 1_000;
const MAX_SEND_ATTEMPTS = 3;
/** How long `close` waits for the collector. */
const CLOSE_TIMEOUT_MS = 1_000;

/**
 * Sends spans to a collector in the background. A slow or missing collector loses spans and never delays a
 * call.
 */
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

  /** Sends queued spans for a limited time and drops the rest. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    const limit = setTimeout(() => this.#closing.abort(), CLOSE_TIMEOUT_MS);
    await this.#sending;
    while (this.#queue.length > 0 && !this.#closing.signal.aborted) await this.#send();
    clearTimeout(limit);
    this.#queue = [];
  }

  #schedule(): void {
    // The timer does not keep the process alive.
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

  /** Sends one batch. A batch that fails is retried a limited number of times. */
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

  /** Whether the batch is settled: accepted, or rejected permanently. */
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

/** OTLP numbers span kinds from 1. */
const OTLP_KIND_INTERNAL = 1;
const SAMPLED_FLAG = 1;

/** A span that has started. */
export interface ActiveSpan {
  /** Trace context for child spans. */
  readonly parent: TraceParent;
  end(attributes: SpanAttributes, error: string | null): void;
}

/** Creates spans for an exporter. Spans of an unsampled trace are not sent. */
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

/** A bigint, because nanoseconds since 1970 exceed the safe integers. */
function nowUnixNanos(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)) * 1_000n;
}

function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex');
}
