import type { Artifacts, CallStatus, LogEntry } from '../../../index.ts';
import type { CallCard } from '../cards/card.ts';

/** What is shown of each output; the full one is a key away. */
const TAIL_LINES = 10;

/** The commands of the log as cards, with the end of what each has printed. */
export class Followed {
  readonly #artifacts: Artifacts;
  readonly #outputs = new Map<string, { readonly text: string; readonly isLast: boolean }>();

  constructor(artifacts: Artifacts) {
    this.#artifacts = artifacts;
  }

  /** Reads on in what still runs, and once in what has ended. */
  async read(entries: readonly LogEntry[]): Promise<void> {
    const ids = new Set(entries.map(({ runId }) => runId));
    for (const id of this.#outputs.keys()) if (!ids.has(id)) this.#outputs.delete(id);
    for (const { runId, status } of entries) {
      if (runId === null || this.#outputs.get(runId)?.isLast) continue;
      this.#outputs.set(runId, { text: await this.#tail(runId), isLast: status !== null });
    }
  }

  toCard(entry: LogEntry, isExpanded: boolean): CallCard {
    const startedAt = Date.parse(entry.time);
    const refusal = entry.verdict === 'allow' ? null : (entry.error ?? 'refused');
    return {
      kind: 'call',
      by: 'tool',
      isPrivate: false,
      command: entry.command ?? '(no command)',
      startedAt,
      endedAt: entry.durationMs === null ? null : startedAt + entry.durationMs,
      state: refusal === null ? stateOf(entry.status) : 'failed',
      output: entry.runId === null ? '' : (this.#outputs.get(entry.runId)?.text ?? ''),
      result: null,
      ending:
        entry.status === null
          ? null
          : { status: entry.status, exitCode: entry.exitCode, signal: entry.signal },
      problem: refusal,
      isExpanded,
      canStop: false,
    };
  }

  async #tail(runId: string): Promise<string> {
    try {
      return (await this.#artifacts.open(runId).tail(TAIL_LINES)).text;
    } catch {
      return '';
    }
  }
}

function stateOf(status: CallStatus | null): CallCard['state'] {
  if (status === null) return 'running';
  return status === 'aborted' ? 'cancelled' : 'ended';
}
