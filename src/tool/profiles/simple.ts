import { toAgentView } from '../../engine/output/view/agent-view.ts';
import type { CallInput } from '../hooks.ts';
import type { InputSchema } from '../input/schema.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import type { CallRequest } from '../pipeline/request.ts';
import type { Printed, Shown } from '../pipeline/shown.ts';
import { toOutput } from '../pipeline/shown.ts';
import { fixedLimit } from '../pipeline/time-limit.ts';
import { renderDuration } from './duration.ts';
import { endLine } from './end-line.ts';
import type { Finished, Profile, Shaped } from './profile.ts';

/** One field in; stdout, stderr and an exit code out, as one JSON object. */
export const simple: Profile = {
  name: 'simple',
  streams: 'apart',
  window: { headBytes: 1024 ** 2, tailBytes: 1024 },
  movesCd: false,
  disarms: false,
  maxCommandLength: 1_048_576,
  background: null,
  inputSchema: () => SCHEMA,
  describe,
  toRequest,
  show,
  shapeFinished,
  shapeStarted: ({ job }) => shape({ stdout: '', stderr: '', job }),
  shapeRefused: (error) => shape({ error: error.message }),
};

const SCHEMA: InputSchema = {
  type: 'object',
  required: ['command'],
  additionalProperties: false,
  properties: { command: { type: 'string', description: 'The bash command to execute' } },
};

function describe({ timeoutMs, cwd }: ResolvedOptions): string {
  return [
    'Execute a bash command and return stdout/stderr',
    `Commands run in ${cwd} for at most ${renderDuration(timeoutMs)}, without a terminal, each in a shell of its own. Up to 1 MiB of each stream is returned.`,
  ].join('\n\n');
}

function toRequest(checked: CallInput, options: ResolvedOptions): CallRequest {
  const { command } = checked as { command: string };
  return {
    command,
    cwd: null,
    env: {},
    timeLimit: fixedLimit(options.timeoutMs),
    head: null,
    tail: null,
    stdin: null,
    background: false,
  };
}

async function show({ out, err, mask, artifact }: Printed): Promise<Shown> {
  const [stdout, stderr] = await Promise.all([
    toAgentView(out, { artifact, mask }),
    toAgentView(err, { artifact, mask }),
  ]);
  return {
    output: toOutput({ ...stdout, text: stdout.text + stderr.text }),
    truncation: null,
    apart: { stdout: stdout.text, stderr: stderr.text },
  };
}

function shapeFinished(finished: Finished): Shaped {
  const { shown, notes, outcome } = finished;
  const { stdout, stderr } = shown.apart ?? { stdout: shown.output.text, stderr: '' };
  const error = errorOf(finished, stderr);
  return shape({
    ...(error === null ? {} : { error }),
    stdout,
    stderr,
    ...(outcome.exitCode === null ? {} : { exitCode: outcome.exitCode }),
    ...(notes.length === 0 ? {} : { notes }),
  });
}

/** A command that ran and failed is no error here; one that could not be run, or did not end by itself, is. */
function errorOf(finished: Finished, stderr: string): string | null {
  const { ending } = finished;
  if (ending.kind === 'signaled') return null;
  if (ending.kind !== 'exited') return endLine(finished);
  if (ending.exitCode === 127) return lastMatching(stderr, /not found|No such file/i) ?? 'command not found';
  return ending.exitCode === 126
    ? (lastMatching(stderr, /denied|cannot|Is a directory/i) ?? 'permission denied')
    : null;
}

/** bash says it in its own words, which name the command. */
function lastMatching(stderr: string, pattern: RegExp): string | null {
  return stderr.split('\n').findLast((line) => pattern.test(line)) ?? null;
}

function shape(details: Readonly<Record<string, unknown>>): Shaped {
  return { text: JSON.stringify(details), isError: 'error' in details, details };
}
