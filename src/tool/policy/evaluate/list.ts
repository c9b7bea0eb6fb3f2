import type { AndOr, CommandNode, Pipeline, PipelineNode, Statement } from 'unbash';
import type { Frame } from '../state/machine.ts';
import { Output } from '../state/output.ts';
import { uniteCwd } from '../state/state.ts';
import { narrow } from './narrow.ts';
import type { Runnable, Runner } from './runner.ts';

/** Statements one after the other. */
export function runStatements(statements: readonly Statement[], frame: Frame, runner: Runner): void {
  for (const statement of statements) {
    if (frame.output === undefined && runner.slice.skips(statement)) continue;
    const { command, background } = statement;
    if (background) runBeside(command, frame, runner);
    else runner.run(command, frame);
    settleDirectory(frame);
  }
}

/** A shell of its own, which nobody waits for: it may have ended when the next command runs. */
export function runBeside(command: Runnable, frame: Frame, runner: Runner): void {
  const state = frame.state.fork();
  runner.run(command, { ...frame, state });
  state.end();
}

/** In `cd x && y` the move has worked when `y` runs; in `cd x; y` nobody has looked. */
function settleDirectory({ state }: Frame): void {
  if (state.cwdOnFailure.length === 0) return;
  if (!state.errexit) state.cwdUnlooked = uniteCwd([state.cwdUnlooked, state.cwdOnFailure]);
  state.cwdOnFailure = [];
}

/** `a && b || c`: everything after the first may run or not. */
export function runAndOr({ commands, operators }: AndOr, frame: Frame, runner: Runner): void {
  const [first, ...rest] = commands;
  if (first === undefined) return;
  runner.run(first, frame);
  const ran = frame.state.fork();
  if (operators[0] === '&&') narrow(first, ran);
  branch(frame, [
    () => runRest(rest, { operators, frame: { ...frame, state: ran } }, runner),
    () => undefined,
  ]);
  const skipped = frame.state.fork();
  frame.state.join([ran, skipped]);
}

interface Rest {
  readonly operators: readonly ('&&' | '||')[];
  readonly frame: Frame;
}

function runRest(commands: readonly PipelineNode[], { operators, frame }: Rest, runner: Runner): void {
  commands.forEach((command, index) => {
    if (operators[index] === '&&') {
      runner.run(command, frame);
      return;
    }
    // What failed before may have moved nowhere.
    const other = frame.state.fork();
    if (other.cwdOnFailure.length > 0) other.cwdUnlooked = uniteCwd([other.cwdUnlooked, other.cwdOnFailure]);
    runner.run(command, { ...frame, state: other });
    frame.state.join([other, frame.state.fork()]);
  });
}

/** Each stage is a shell of its own, fed by the one before. */
export function runPipeline({ commands, operators }: Pipeline, frame: Frame, runner: Runner): void {
  if (commands.length === 1 && commands[0] !== undefined) {
    runner.run(commands[0], frame);
    return;
  }
  let stdin = frame.stdin;
  commands.forEach((command, index) => {
    const last = index === commands.length - 1;
    const output = last ? frame.output : new Output();
    const piped = index > 0 ? true : frame.piped;
    runStage(command, { ...frame, state: frame.state.fork(), stdin, output, piped }, runner);
    if (!last && output !== undefined) stdin = operators[index] === '|&' ? undefined : output.texts;
  });
}

function runStage(command: CommandNode, frame: Frame, runner: Runner): void {
  runner.run(command, frame);
  runner.finish(frame);
}

/** Runs alternatives that each print for themselves. */
export function branch(frame: Frame, branches: readonly (() => void)[]): void {
  if (frame.output !== undefined) frame.output.branch(branches);
  else for (const run of branches) run();
}
