import { isatty } from 'node:tty';
import { type CallResult, createBash, ToolAbortError } from '../../../index.ts';
import { listenForStopSignals } from '../../serving/stop-signals.ts';
import { type Command, defineCommand } from '../args/command.ts';
import { toExitStatus } from '../exit-status.ts';
import { approveOnTerminal } from './approve.ts';
import { NOTHING_PASSES, passThrough } from './pass-through.ts';
import { parseRunArgs, RUN_FLAGS, type RunArgs } from './run-flags.ts';
import { planRun } from './run-plan.ts';
import { showResult } from './show-result.ts';

export const command: Command = defineCommand({
  usage: 'run [options] [--] <command>',
  summary: 'Run one command and exit as it did',
  flags: RUN_FLAGS,
  notes: [
    'One argument is a command as you would type it in bash; several are its words, quoted as needed.',
    'Output passes through as it comes, piped input is passed on, notes go to stderr.',
    "Exit status: the command's own; 128+n by signal, 124 timed out, 126 refused, 130 interrupted,",
    '141 nobody reads the output, 125 nacre itself failed, 2 bad usage.',
  ],
  examples: ["nacre run 'npm test' --timeout 300", "nacre run 'make' --json | jq .run.status"],
  parse: parseRunArgs,
  act: runOnce,
});

async function runOnce(args: RunArgs): Promise<number> {
  const plan = planRun(args);
  const bash = createBash({ ...plan.options, approve: approveOnTerminal, readyShells: 0 });
  const stop = listenForStopSignals();
  try {
    const follow = plan.showing === 'raw' ? passThrough(stop) : NOTHING_PASSES;
    const { signal, killSignal } = stop;
    const stdin = isatty(0) ? {} : { stdin: { fd: 0 } };
    const result = await settle(bash.call(plan.input, { signal, killSignal, ...stdin, ...follow.options }));
    await follow.flush(result);
    showResult(result, plan.showing, stop.exitStatus());
    return stop.exitStatus() ?? toExitStatus(result);
  } finally {
    await bash.close({ killSignal: stop.killSignal });
  }
}

/** An abort is our own doing: its partial result is a result. */
async function settle(call: Promise<CallResult>): Promise<CallResult> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ToolAbortError) return error.result;
    throw error;
  }
}
