import type { Artifacts, CallStatus, JobInfo, Jobs, LogEntry } from '../../../index.ts';
import type { CallCard } from '../cards/card.ts';

/** What is shown of each output; the full one is a key away. */
const TAIL_LINES = 10;

interface Facts {
  readonly text: string;
  /** Whether there is nothing more to come. */
  readonly isLast: boolean;
  /** Of a run that went on without whoever called it. */
  readonly job: JobInfo | null;
}

/** The commands of the log as cards, with the end of what each has printed. */
export class Followed {
  readonly #artifacts: Artifacts;
  readonly #jobs: Jobs;
  readonly #facts = new Map<string, Facts>();

  constructor({ artifacts, jobs }: { readonly artifacts: Artifacts; readonly jobs: Jobs }) {
    this.#artifacts = artifacts;
    this.#jobs = jobs;
  }

  /** How many of them still run. */
  live(entries: readonly LogEntry[]): number {
    return entries.filter((entry) => this.#isRunning(entry)).length;
  }

  isLive(entries: readonly LogEntry[]): boolean {
    return entries.some((entry) => this.#isRunning(entry));
  }

  /** Reads on in what still runs, and once in what has ended. */
  async read(entries: readonly LogEntry[]): Promise<void> {
    const ids = new Set(entries.map(({ runId }) => runId));
    for (const id of this.#facts.keys()) if (!ids.has(id)) this.#facts.delete(id);
    const open = entries.filter(({ runId }) => runId !== null && !this.#facts.get(runId)?.isLast);
    // Whoever made a call may be gone, and with it the line that would have told the end.
    const jobs = new Map(open.length === 0 ? [] : this.#jobs.list().map((job) => [job.id, job]));
    for (const { runId, status } of open) {
      if (runId === null) continue;
      const job = jobs.get(runId) ?? null;
      const isLast = job === null ? isEnd(status) : job.state !== 'running';
      this.#facts.set(runId, { text: await this.#tail(runId), isLast, job });
    }
  }

  toCard(entry: LogEntry, isExpanded: boolean): CallCard {
    const startedAt = Date.parse(entry.time);
    const refusal = entry.verdict === 'allow' ? null : (entry.error ?? 'refused');
    const facts = entry.runId === null ? undefined : this.#facts.get(entry.runId);
    const ending = endingOf(entry, facts?.job ?? null);
    return {
      kind: 'call',
      by: 'tool',
      isPrivate: false,
      command: entry.command ?? '(no command)',
      startedAt,
      endedAt: facts?.job?.endedAt ?? (entry.durationMs === null ? null : startedAt + entry.durationMs),
      state: refusal === null ? stateOf(ending) : 'failed',
      output: facts?.text ?? '',
      result: null,
      ending,
      problem: refusal,
      isExpanded,
      canStop: false,
    };
  }

  #isRunning({ runId, status, verdict }: LogEntry): boolean {
    if (verdict !== 'allow') return false;
    const facts = runId === null ? undefined : this.#facts.get(runId);
    return facts === undefined ? !isEnd(status) : !facts.isLast;
  }

  async #tail(runId: string): Promise<string> {
    try {
      return (await this.#artifacts.open(runId).tail(TAIL_LINES)).text;
    } catch {
      return '';
    }
  }
}

/** A call that was answered because it goes on as a job has not ended. */
function isEnd(status: CallStatus | null): boolean {
  return status !== null && status !== 'running';
}

/** As the job ended, where it is one, else as the log has it; `null` while it runs. */
function endingOf(entry: LogEntry, job: JobInfo | null): CallCard['ending'] {
  if (job?.state === 'running') return null;
  const { status, exitCode, signal } = job ?? entry;
  return status === null || !isEnd(status) ? null : { status, exitCode, signal };
}

function stateOf(ending: CallCard['ending']): CallCard['state'] {
  if (ending === null) return 'running';
  return ending.status === 'aborted' ? 'cancelled' : 'ended';
}
