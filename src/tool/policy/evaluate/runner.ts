import type {
  AndOr,
  CompoundCommand,
  CompoundList,
  ParsedScript,
  PipelineNode,
  Redirected,
  Redirection,
  Script,
  Statement,
  SyntaxNode,
  Word,
} from 'unbash';
import { Expander } from '../expand/expand.ts';
import type { Frame, Machine } from '../state/machine.ts';
import type { Field } from '../words/atom.ts';
import { Choices } from '../words/choices.ts';

/** Everything that can stand where a command is run. */
export type Runnable = PipelineNode | AndOr | CompoundCommand | Redirected | CompoundList | Script;

/** The interpreter as the rules of the language see it. */
export interface Runner extends Machine {
  run(node: Runnable, frame: Frame): void;
  statements(list: readonly Statement[], frame: Frame): void;
  /** Runs the substitutions in words whose value does not matter. */
  visit(node: SyntaxNode, frame: Frame): void;
  /** Whether anything hangs on the words of a command of this name. */
  matters(name: string | null, frame: Frame): boolean;
  /** A script that could not be read to its end. */
  unreadable(script: ParsedScript, frame: Frame): void;
}

/** More combinations of values than anybody writes by hand. */
const MAX_WAYS = 4_096;

/** Evaluates something in every way it can turn out. */
export function everyWay<T>(runner: Runner, frame: Frame, evaluate: (expander: Expander) => T): readonly T[] {
  const choices = new Choices();
  const captured = new Map();
  const results: T[] = [];
  do {
    runner.budget.spend();
    results.push(evaluate(new Expander({ machine: runner, frame, captured }, choices)));
    if (results.length > MAX_WAYS) runner.budget.exceed(`more than ${MAX_WAYS} combinations of values`);
  } while (choices.advance());
  return results;
}

/** All the values a word that stays one may have. */
export function everyText(runner: Runner, frame: Frame, word: Word): readonly Field[] {
  return everyWay(runner, frame, (expander) => expander.single(word));
}

/** A redirection with the descriptor it is about. */
export function descriptorOf(redirection: Redirection): number {
  if (redirection.descriptor?.type === 'FileDescriptor') return redirection.descriptor.value;
  if (redirection.descriptor !== undefined) return -1;
  const reads = redirection.operator.startsWith('<');
  return reads ? 0 : 1;
}
