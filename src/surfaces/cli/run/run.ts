import { isatty } from 'node:tty';
import { type Approver, type CallResult, createBash, ToolAbortError } from '../../../index.ts';
import { listenForStopSignals } from '../../serving/stop-signals.ts';
import { type CliCommand, defineCommand } from '../command.ts';
import { EXIT_BROKEN_PIPE, toExitStatus } from '../exit-status.ts';
import { print, printError } from '../print.ts';
import { forwardOutput, NO_FORWARDING } from './forward-output.ts';
import { parseRunArgs, RUN_FLAGS, type RunArgs } from './run-flags.ts';
import { planRun, type RunOutputMode } from './run-plan.ts';

/** Asks on a terminal; otherwise prints how the question can be answered. */
export const approveOnTerminal: Approver = async (question, signal) => {
  if (isatty(0) && isatty(2)) {
    const { promptForApproval } = await import('../approval-prompt.ts');
    return promptForApproval(question, signal);
  }
  const seconds = Math.round((question.expiresAt - question.askedAt) / 1000);
  printError(`waiting up to ${seconds} s for an approval: nacre approvals allow ${question.id}`);
  return undefined;
};

/** Prints the result of a finished call. In raw mode the output has already been forwarded. */
export function printResult(result: CallResult, outputMode: RunOutputMode, interrupted: number | null): void {
  if (interrupted === EXIT_BROKEN_PIPE) return;
  if (outputMode === 'json') print(`${JSON.stringify(result)}\n`);
  else if (outputMode === 'view') print(`${result.content.map(({ text }) => text).join('\n')}\n`);
  else {
    const { job } = result.run;
    if (outputMode === 'id' && job !== undefined) print(`${job.id}\n`);
    for (const line of toErrorLines(result)) printError(line);
    if (outputMode === 'id' && job !== undefined) printJobAdvice(job.id);
  }
}

function printJobAdvice(id: string): void {
  printError(`To read its output: nacre jobs tail -f ${id}`);
  printError(`To stop it: nacre jobs kill ${id}`);
}

function toErrorLines({ run, error, details }: CallResult): readonly string[] {
  if (error !== undefined) return [error.message, ...run.notes];
  if (run.status === 'timed_out') {
    const seconds = details.timeoutSeconds ?? Math.round(run.wallTimeMs / 1000);
    return [`Command timed out after ${seconds} seconds`, ...run.notes];
  }
  return run.status === 'lost' ? ['Command failed: missing exit status', ...run.notes] : run.notes;
}

export const command: CliCommand = defineCommand({
  usage: 'run [options] [--] <command>',
  summary: 'Run a command and exit with its status',
  flags: RUN_FLAGS,
  notes: [
    'One argument is a bash command line. Several arguments are quoted as needed and joined.',
    'Output is forwarded live, piped stdin is passed on, notes go to stderr. --async prints the job id.',
    "Exit status: the command's own; 128+n by signal, 124 timed out, 126 refused, 130 interrupted,",
    '141 output closed, 125 nacre failed, 2 bad usage.',
  ],
  examples: ["nacre run 'make' --json | jq .run.status"],
  parse: parseRunArgs,
  act: runOnce,
});

async function runOnce(args: RunArgs): Promise<number> {
  const plan = planRun(args);
  const bash = createBash({ ...plan.options, approve: approveOnTerminal, readyShells: 0 });
  const stop = listenForStopSignals();
  try {
    const follow = plan.outputMode === 'raw' ? forwardOutput(stop) : NO_FORWARDING;
    const { signal, killSignal } = stop;
    const stdin = isatty(0) ? {} : { stdin: { fd: 0 } };
    const result = await settleAborted(
      bash.call(plan.input, { signal, killSignal, ...stdin, ...follow.options }),
    );
    await follow.flush(result);
    printResult(result, plan.outputMode, stop.exitStatus());
    return stop.exitStatus() ?? toExitStatus(result);
  } finally {
    await bash.close({ killSignal: stop.killSignal });
  }
}

/** An aborted call resolves with its partial result. */
async function settleAborted(call: Promise<CallResult>): Promise<CallResult> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ToolAbortError) return error.result;
    throw error;
  }
}
