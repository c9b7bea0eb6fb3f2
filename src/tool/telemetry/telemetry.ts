import type { CallOptions } from '../contract/call-options.ts';
import {
  SPAN_KIND_INTERNAL,
  type Span,
  type SpanAttributes,
  STATUS_ERROR,
  type TraceParent,
  type Tracer,
} from '../contract/tracer.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import { OtlpExporter, OtlpSpanSource, readOtlpSettings } from './otlp-exporter.ts';

/** Creates the spans of one instance. It never throws and never delays a call. */
export interface Telemetry {
  start(tool: 'bash' | 'job', call: Pick<CallOptions, 'traceparent' | 'tracestate'>): CallSpan;
  /** Sends queued spans for a limited time. */
  close(): Promise<void>;
}

/** The span of one call. */
export interface CallSpan {
  /** Trace context for the command's environment. */
  readonly variables: Readonly<Record<string, string>>;
  end(attributes: SpanAttributes, error: string | null): void;
}

type TelemetryOptions = Pick<ResolvedOptions, 'tracer' | 'inheritedEnv' | 'session' | 'profile'>;

/**
 * Creates telemetry with the caller's tracer, or with the exporter that the OpenTelemetry variables configure,
 * or none.
 */
export function createTelemetry({ tracer, inheritedEnv, session, profile }: TelemetryOptions): Telemetry {
  const common = { 'nacre.session': session, 'nacre.profile': profile };
  if (tracer !== null) {
    return {
      start: (tool) =>
        ignoreErrors(() => startTracerSpan(tracer, { ...toToolAttributes(tool), ...common }, tool), NO_SPAN),
      close: async () => undefined,
    };
  }
  const settings = readOtlpSettings(inheritedEnv);
  if (settings === null)
    return { start: (_tool, call) => forwardTraceContext(call), close: async () => undefined };
  const exporter = new OtlpExporter(settings);
  const spans = new OtlpSpanSource(exporter);
  return {
    start: (tool, call) => {
      const { TRACEPARENT, TRACESTATE } = inheritedEnv;
      const given = parseTraceParent(call.traceparent);
      const state = given === null ? TRACESTATE : call.tracestate;
      const span = spans.start(`execute_tool ${tool}`, given ?? parseTraceParent(TRACEPARENT));
      return {
        variables: toTraceVariables(renderTraceParent(span.parent), state),
        end: (more, error) => span.end({ ...toToolAttributes(tool), ...common, ...more }, error),
      };
    },
    close: () => exporter.close(),
  };
}

const NO_SPAN: CallSpan = { variables: {}, end: () => undefined };

/** Without an exporter, the trace context of the caller is passed to the command. */
function forwardTraceContext({
  traceparent,
  tracestate,
}: Pick<CallOptions, 'traceparent' | 'tracestate'>): CallSpan {
  const parent = parseTraceParent(traceparent);
  return parent === null
    ? NO_SPAN
    : { ...NO_SPAN, variables: toTraceVariables(renderTraceParent(parent), tracestate) };
}

/** The tracer finds the active parent span itself. */
function startTracerSpan(tracer: Tracer, attributes: SpanAttributes, tool: string): CallSpan {
  const span = tracer.startSpan(`execute_tool ${tool}`, { kind: SPAN_KIND_INTERNAL, attributes });
  return {
    variables: ignoreErrors(() => traceVariablesOf(span), {}),
    end: (more, error) =>
      ignoreErrors(() => {
        span.setAttributes(more);
        if (error !== null) span.setStatus({ code: STATUS_ERROR, message: error });
        span.end();
      }, undefined),
  };
}

function traceVariablesOf(span: Span): Readonly<Record<string, string>> {
  const { traceId, spanId, traceFlags: flags, traceState } = span.spanContext();
  const text = renderTraceParent({ traceId, spanId, flags });
  return parseTraceParent(text) === null ? {} : toTraceVariables(text, traceState?.serialize());
}

function toTraceVariables(TRACEPARENT: string, state: string | undefined): Readonly<Record<string, string>> {
  const TRACESTATE = parseTraceState(state);
  return TRACESTATE === undefined ? { TRACEPARENT } : { TRACEPARENT, TRACESTATE };
}

function toToolAttributes(tool: string): SpanAttributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'gen_ai.tool.type': 'function',
  };
}

function ignoreErrors<T>(work: () => T, otherwise: T): T {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

/** Parses a `traceparent`; `null` when it is invalid, which is not an error. */
export function parseTraceParent(text: string | undefined): TraceParent | null {
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(text?.trim() ?? '') ?? [];
  if (version === undefined || version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

/** Returns a valid `tracestate`; `undefined` for text that cannot be an environment variable. */
export function parseTraceState(text: string | undefined): string | undefined {
  return text !== undefined && /^[\t\x20-\x7e]{1,8192}$/.test(text) ? text : undefined;
}

export function renderTraceParent({ traceId, spanId, flags }: TraceParent): string {
  return `00-${traceId}-${spanId}-${(flags & 0xff).toString(16).padStart(2, '0')}`;
}
