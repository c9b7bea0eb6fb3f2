import { type OtlpExporter, toAttribute } from './otlp-exporter.ts';
import type { TraceParent } from './trace-parent.ts';
import { type SpanAttributes, STATUS_ERROR } from './tracer.ts';

/** OTLP counts the kinds from one. */
const KIND_INTERNAL = 1;
const SAMPLED = 1;

/** A span that is not over. */
export interface OpenSpan {
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

  start(name: string, parent: TraceParent | null): OpenSpan {
    const traceId = parent?.traceId ?? randomHex(16);
    const spanId = randomHex(8);
    const flags = parent?.flags ?? SAMPLED;
    const startedAt = nowNano();
    return {
      parent: { traceId, spanId, flags },
      end: (attributes, error) => {
        if ((flags & SAMPLED) === 0) return;
        this.#exporter.add({
          traceId,
          spanId,
          ...(parent === null ? {} : { parentSpanId: parent.spanId }),
          name,
          kind: KIND_INTERNAL,
          startTimeUnixNano: String(startedAt),
          endTimeUnixNano: String(nowNano()),
          attributes: Object.entries(attributes).map(toAttribute),
          status: error === null ? { code: 0 } : { code: STATUS_ERROR, message: error },
          flags,
        });
      },
    };
  }
}

/** Milliseconds since 1970 have a fraction here, and nanoseconds fit into no number. */
function nowNano(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)) * 1_000n;
}

function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex');
}
