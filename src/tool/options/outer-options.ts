import type { ClientTerminals } from '../../engine/hosts/client/client-terminals.ts';
import type { Tracer } from '../telemetry/tracer.ts';

/** What the program around the tool brings with it. */
export interface OuterOptions {
  /**
   * Terminals of the program that the person looks at, such as an editor: commands that are waited for run there, and updates
   * carry `details.terminalId`. Jobs, and commands that are given input or a terminal of their own, run as they would without;
   * so does everything where commands run in a sandbox or on another machine. `null`: there are none.
   *
   * @default null
   */
  readonly clientTerminals?: ClientTerminals | null;
  /**
   * A tracer of OpenTelemetry: each call becomes a span below the active one. With `null`, spans go to the collector that the
   * variables of OpenTelemetry in `inheritedEnv` name (`OTEL_EXPORTER_OTLP_ENDPOINT` and its kin), if they name one.
   *
   * @default null
   */
  readonly tracer?: Tracer | null;
}
