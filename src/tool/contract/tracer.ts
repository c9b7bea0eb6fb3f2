/** The part of an OpenTelemetry tracer that is used, for example `trace.getTracer('nacre')`. */
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

/** Attributes of a span. They never contain commands, output, paths or variables. */
export type SpanAttributes = Record<string, string | number | boolean>;

/** Numbers as OpenTelemetry defines them. */
export const SPAN_KIND_INTERNAL = 0;
export const STATUS_ERROR = 2;

/** Parent of a span in W3C format: `00-<trace>-<span>-<flags>`. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}
