/** A tracer of OpenTelemetry's API, as much of it as is used: `trace.getTracer('nacre')`. */
export interface Tracer {
  startSpan(name: string, options?: { kind?: number; attributes?: SpanAttributes }): Span;
}

export interface Span {
  setAttributes(attributes: SpanAttributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
  spanContext(): SpanContext;
}

export interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
  readonly traceState?: { serialize(): string } | undefined;
}

/** What is said of a call. Never a command, an output, a path or a variable. */
export type SpanAttributes = Record<string, string | number | boolean>;

/** As OpenTelemetry numbers them. */
export const SPAN_KIND_INTERNAL = 0;
export const STATUS_ERROR = 2;

/** Whose child a span is, as the W3C writes it: `00-<trace>-<span>-<flags>`. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}
