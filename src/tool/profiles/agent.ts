import { resolveSandboxPreset } from '../../engine/hosts/sandbox/sandbox-spec.ts';
import { PROFILE_WINDOW_SIZES } from '../../engine/output/output-window.ts';
import { toAgentView } from '../../engine/output/views/agent-view.ts';
import type { NacreError } from '../../errors.ts';
import { isSuccess } from '../contract/result.ts';
import { findHostConfig, isRemoteHost, keepsShellState } from '../hosts/find-host.ts';
import type { ResolvedOptions } from '../options/bash-options.ts';
import type { SandboxConfig } from '../options/host-config.ts';
import { createAgentSchema, toAgentRequest } from './agent-input.ts';
import {
  type FinishedSummary,
  type PrintedOutput,
  type Profile,
  renderExitLine,
  renderLongDuration,
  type ShapedResult,
  type ShownOutput,
  type StartedSummary,
  type TimeLimit,
  toDefaultTimeLimit,
  toMachineOutput,
} from './profile.ts';

/** The default profile: merged output, structured details and jobs. */
export const agentProfile: Profile = {
  name: 'agent',
  streams: 'merged',
  window: PROFILE_WINDOW_SIZES.agent,
  liftsLeadingCd: true,
  disablesPrompts: true,
  maxCommandLength: 1_048_576,
  background: { field: 'async', value: true },
  inputSchema: createAgentSchema,
  describe: renderAgentDescription,
  toRequest: toAgentRequest,
  show: showAgentOutput,
  shapeFinished: shapeAgentFinished,
  shapeStarted: shapeAgentStarted,
  shapeRefused: shapeAgentRefused,
};

async function showAgentOutput({ out, maxBytes, ...options }: PrintedOutput): Promise<ShownOutput> {
  const view = await toAgentView(out, { ...options, limits: { budgetBytes: maxBytes } });
  return { output: toMachineOutput(view), truncation: view.truncation, apart: null };
}

/** Renders the tool description with the limits in force and the enabled features. */
export function renderAgentDescription(options: ResolvedOptions): string {
  return descriptionParagraphs(options)
    .filter((paragraph) => paragraph !== null)
    .join('\n\n');
}

function descriptionParagraphs(options: ResolvedOptions): readonly (string | null)[] {
  const { timeoutMs, maxTimeoutMs, async, secrets, urls, output } = options;
  const stdin = async.enabled
    ? 'There is no terminal, and standard input is empty unless you set `stdin`. Avoid prompts with flags, pass text, or set `stdin: {"open": true}` and send input with the job tool.'
    : 'There is no terminal, and standard input is empty unless you set `stdin`. Avoid prompts with flags.';
  const seesFiles = !isRemoteHost(options);
  const limit = renderLongDuration(Math.min(timeoutMs, maxTimeoutMs));
  return [
    'Runs a command in bash and returns its output, stdout and stderr merged.',
    renderHostDescription(options),
    shellParagraph(options),
    stdin,
    `A command is stopped after ${limit}, and its output so far is returned. \`timeout\` sets another limit, in seconds, up to ${maxTimeoutMs / 1_000}; 0 means none.`,
    `Up to ${Number((output.maxBytes / 1024).toFixed(1))} KiB of output is shown. Longer output is reduced to its beginning, its end and the lines that show failures, with a notice of what is omitted. Without a notice the output is complete, so do not add \`| head\` or \`| tail\`. The full output stays readable as artifact://<id>` +
      (seesFiles ? ', also as a path in commands.' : '.'),
    'Processes started with `&` keep running after the call and are named in the result.',
    async.enabled ? waitingParagraph(options) : null,
    async.enabled ? jobsParagraph(options) : null,
    secrets.withhold ? 'Environment variables that look like secrets are not passed to commands.' : null,
    seesFiles ? foldersParagraph(Object.keys(urls.skills)) : null,
  ];
}

function shellParagraph(options: ResolvedOptions): string {
  const { cwd } = options;
  if (!keepsShellState(options))
    return `Commands start in ${cwd}; set \`cwd\` for another directory. Each call runs in a new shell: changes of directory, variables and functions are not kept.`;
  return `The first command starts in ${cwd}. Shell state is kept between calls: directory, variables, functions, aliases and options (but not \`set -e\`, \`-u\` and \`-x\`, traps and limits). \`cwd\` and \`env\` apply to one call only. The result says when a change could not be kept.`;
}

function waitingParagraph({ async: { autoBackground } }: ResolvedOptions): string {
  const after = autoBackground.enabled
    ? `A call waits ${renderLongDuration(autoBackground.afterMs)} for its command, or \`wait\` seconds.`
    : 'A call waits until its command ends, or `wait` seconds.';
  return `${after} A wait that ends is not a kill: the command continues as a job, and you get its id and its output so far. A command whose limit is not longer than the wait is stopped at its limit instead.`;
}

function jobsParagraph({ jobTimeoutMs }: ResolvedOptions): string {
  return `\`async: true\` starts a job and returns at once with its id, its output file and how to stop it. \`service\` starts a named job, such as a server, and returns when it is ready. The job tool lists, reads, waits for, answers and stops jobs; do not poll with sleep. A job is stopped after ${renderLongDuration(jobTimeoutMs)} unless \`timeout\` is set.`;
}

function foldersParagraph(skills: readonly string[]): string {
  const own = 'local://<path> is a path in a folder of this session, for files outside the project.';
  return skills.length === 0
    ? own
    : `${own} skill://<name>/<path> is a path in a skill: ${skills.join(', ')}.`;
}

/** Describes the sandbox or remote host to the model; `null` for this machine. */
export function renderHostDescription({
  host,
  hosts,
}: Pick<ResolvedOptions, 'host' | 'hosts'>): string | null {
  if (typeof host !== 'string') return null;
  const config = findHostConfig(host, hosts);
  if (config === null) return null;
  if (config.type === 'sandbox') return renderSandboxDescription(config);
  return `Commands run on ${host}, not on this machine: paths, programs and variables are those of that host.`;
}

function renderSandboxDescription({ preset = 'workspace', network: given }: SandboxConfig): string {
  const { isWorkspaceWritable, network: usual } = resolveSandboxPreset(preset);
  const files = isWorkspaceWritable
    ? 'only the directory of the session, `/tmp` and a private home can be written'
    : 'only `/tmp` and a private home can be written';
  return `Commands run in a sandbox: ${files}, and ${renderNetwork(given ?? usual)}. The result says what the sandbox denied.`;
}

function renderNetwork(network: NonNullable<SandboxConfig['network']>): string {
  if (network === 'on') return 'the network can be used';
  if (network === 'off') return 'there is no network';
  return `of the network only ${network.allow.join(', ') || 'nothing'} can be reached, through a proxy`;
}

/** Shapes the result of a run that ended: output, notes, then the exit line of a failure. */
export function shapeAgentFinished(finished: FinishedSummary): ShapedResult {
  const { shown, notes, outcome, wallTimeMs } = finished;
  const last = renderExitLine(finished);
  const beside = last === null ? notes : [...notes, last];
  const { exitCode, signal, status } = outcome;
  return {
    text: appendLines(shown.output.text === '' ? '(no output)' : shown.output.text, beside),
    isError: !isSuccess(outcome),
    details: {
      ...timeoutDetails(finished.timeLimit),
      wallTimeMs,
      ...(exitCode === null || exitCode === 0 ? {} : { exitCode }),
      ...(signal === null ? {} : { signal }),
      ...(status === 'timed_out' ? { timedOut: true } : {}),
      ...truncationDetails(shown),
    },
  };
}

/** Shapes the result of a run that continues as a job: output so far, then how to find it. */
export function shapeAgentStarted(started: StartedSummary): ShapedResult {
  const { job, label, timeLimit, shown, wallTimeMs, notes, isSandboxedOrRemote } = started;
  const lines = [
    ...notes,
    `Background job ${job.id} started: ${label}`,
    // Files and process ids of another machine or sandbox cannot be used here.
    ...(isSandboxedOrRemote
      ? []
      : [`${renderProcessIds(job)}Its output goes to ${job.outputFile}, which ends with how it ended.`]),
    'The job tool takes this id: peek shows what it printed, wait waits for its end, a line or a port, send answers it, kill ends it.',
    // A job that waits in a queue has no process, and group 0 is the group of the reader.
    ...(job.pid === 0 || isSandboxedOrRemote ? [] : [`To stop it: kill -9 -${job.pgid}`]),
  ];
  const text = shown?.output.text ?? '';
  return {
    text: text === '' ? lines.join('\n') : appendLines(text, lines),
    isError: false,
    details: {
      ...timeoutDetails(timeLimit),
      ...(shown === null ? {} : { wallTimeMs, ...truncationDetails(shown) }),
      async: { state: 'running', jobId: job.id, type: 'bash' },
    },
  };
}

function renderProcessIds({ pid, pgid }: StartedSummary['job']): string {
  return pid === 0 ? '' : `Process ${pid}, process group ${pgid}. `;
}

export function shapeAgentRefused(
  error: NacreError,
  { timeoutMs, maxTimeoutMs }: ResolvedOptions,
): ShapedResult {
  const details = timeoutDetails(toDefaultTimeLimit(Math.min(timeoutMs, maxTimeoutMs)));
  return { text: error.message, isError: true, details };
}

function truncationDetails({ truncation }: ShownOutput): Readonly<Record<string, unknown>> {
  return truncation === null ? {} : { meta: { truncation } };
}

function timeoutDetails({ ms, requestedSeconds }: TimeLimit): Readonly<Record<string, unknown>> {
  return {
    timeoutSeconds: (ms ?? 0) / 1_000,
    ...(ms === null ? { timeoutDisabled: true } : {}),
    ...(requestedSeconds === null ? {} : { requestedTimeoutSeconds: requestedSeconds }),
  };
}

/** Appends lines after a blank line. */
function appendLines(text: string, lines: readonly string[]): string {
  return lines.length === 0 ? text : `${text.replace(/\n$/, '')}\n\n${lines.join('\n')}`;
}
