import type { CallOptions } from '../call-options.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import { OtlpExporter } from './otlp-exporter.ts';
import { readOtlpSettings } from './otlp-settings.ts';
import { OtlpSpanSource } from './otlp-span.ts';
import { parseTraceParent, parseTraceState, renderTraceParent } from './trace-parent.ts';
import { SPAN_KIND_INTERNAL, type Span, type SpanAttributes, STATUS_ERROR, type Tracer } from './tracer.ts';

/** Spans of one instance. Nothing here throws or waits: a call is worth more than what is told about it. */
export interface Telemetry {
  start(tool: 'bash' | 'job', call: Pick<CallOptions, 'traceparent' | 'tracestate'>): CallSpan;
  /** Gives what is waiting a moment to get away. */
  close(): Promise<void>;
}

/** One call on its way. */
export interface CallSpan {
  /** For the command's environment: what it starts belongs to this span. */
  readonly variables: Readonly<Record<string, string>>;
  end(attributes: SpanAttributes, error: string | null): void;
}

type Sources = Pick<ResolvedOptions, 'tracer' | 'inheritedEnv' | 'session' | 'profile'>;

/** With the caller's tracer, with a collector that OpenTelemetry's variables name, or not at all. */
export function createTelemetry({ tracer, inheritedEnv, session, profile }: Sources): Telemetry {
  const common = { 'nacre.session': session, 'nacre.profile': profile };
  if (tracer !== null) {
    return {
      start: (tool) => guard(() => traceWith(tracer, { ...toolAttributes(tool), ...common }, tool), NOTHING),
      close: async () => undefined,
    };
  }
  const settings = readOtlpSettings(inheritedEnv);
  if (settings === null) return { start: (_tool, call) => passOn(call), close: async () => undefined };
  const exporter = new OtlpExporter(settings);
  const spans = new OtlpSpanSource(exporter);
  return {
    start: (tool, call) => {
      const { TRACEPARENT, TRACESTATE } = inheritedEnv;
      const given = parseTraceParent(call.traceparent);
      const state = given === null ? TRACESTATE : call.tracestate;
      const span = spans.start(`execute_tool ${tool}`, given ?? parseTraceParent(TRACEPARENT));
      return {
        variables: toVariables(renderTraceParent(span.parent), state),
        end: (more, error) => span.end({ ...toolAttributes(tool), ...common, ...more }, error),
      };
    },
    close: () => exporter.close(),
  };
}

const NOTHING: CallSpan = { variables: {}, end: () => undefined };

/** Nobody here makes spans, but whoever called may. */
function passOn({ traceparent, tracestate }: Pick<CallOptions, 'traceparent' | 'tracestate'>): CallSpan {
  const parent = parseTraceParent(traceparent);
  return parent === null
    ? NOTHING
    : { ...NOTHING, variables: toVariables(renderTraceParent(parent), tracestate) };
}

/** The tracer knows which span is active. */
function traceWith(tracer: Tracer, attributes: SpanAttributes, tool: string): CallSpan {
  const span = tracer.startSpan(`execute_tool ${tool}`, { kind: SPAN_KIND_INTERNAL, attributes });
  return {
    variables: guard(() => variablesOf(span), {}),
    end: (more, error) =>
      guard(() => {
        span.setAttributes(more);
        if (error !== null) span.setStatus({ code: STATUS_ERROR, message: error });
        span.end();
      }, undefined),
  };
}

function variablesOf(span: Span): Readonly<Record<string, string>> {
  const { traceId, spanId, traceFlags: flags, traceState } = span.spanContext();
  const text = renderTraceParent({ traceId, spanId, flags });
  return parseTraceParent(text) === null ? {} : toVariables(text, traceState?.serialize());
}

function toVariables(TRACEPARENT: string, state: string | undefined): Readonly<Record<string, string>> {
  const TRACESTATE = parseTraceState(state);
  return TRACESTATE === undefined ? { TRACEPARENT } : { TRACEPARENT, TRACESTATE };
}

function toolAttributes(tool: string): SpanAttributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'gen_ai.tool.type': 'function',
  };
}

function guard<T>(work: () => T, otherwise: T): T {
  try {
    return work();
  } catch {
    return otherwise;
  }
}
