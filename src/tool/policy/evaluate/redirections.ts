import type { HereDoc, Redirect, Redirection, Word } from 'unbash';
import {
  CapturedOutput,
  type EvaluationFrame,
  type FileWrite,
  readStoredText,
  storeFileText,
} from '../values/command-evaluation.ts';
import { concatFields, type Field, toField } from '../values/field.ts';
import { type Evaluator, evaluateTexts, evaluateWord, toDescriptor } from './evaluator.ts';

/** The context of a command with its redirections applied. */
export interface RedirectedFrame {
  readonly frame: EvaluationFrame;
  readonly descriptors: ReadonlyMap<number, readonly Field[]>;
  readonly writes: readonly FileWrite[];
  /** Stores the captured output after the command has run. */
  readonly finish: () => void;
}

interface OpenRedirections {
  frame: EvaluationFrame;
  readonly descriptors: Map<number, readonly Field[]>;
  readonly writes: FileWrite[];
  readonly after: (() => void)[];
}

const NO_REDIRECTIONS: Omit<RedirectedFrame, 'frame' | 'descriptors'> = {
  writes: [],
  finish: () => undefined,
};

/** Evaluates the redirections of a command and returns the context in which it runs. */
export function applyRedirections(
  redirections: readonly Redirection[],
  frame: EvaluationFrame,
  runner: Evaluator,
): RedirectedFrame {
  const { descriptors } = frame.state;
  if (redirections.length === 0) return { frame, descriptors, ...NO_REDIRECTIONS };
  const opening: OpenRedirections = { frame, descriptors: new Map(descriptors), writes: [], after: [] };
  for (const redirection of redirections) openRedirection(redirection, opening, runner);
  return {
    frame: opening.frame,
    descriptors: opening.descriptors,
    writes: opening.writes,
    finish: () => {
      for (const action of opening.after) action();
    },
  };
}

function openRedirection(redirection: Redirection, opening: OpenRedirections, runner: Evaluator): void {
  const descriptor = toDescriptor(redirection);
  if (redirection.type === 'HereDoc') {
    setInput(opening, descriptor, hereDoc(redirection, opening.frame, runner));
    return;
  }
  const { target } = redirection;
  if (target === undefined) return;
  if (redirection.type === 'HereString') {
    const texts = evaluateWord(target, opening.frame, runner);
    setInput(
      opening,
      descriptor,
      texts.map((text) => concatFields(text, toField('\n'))),
    );
    return;
  }
  if (redirection.operator === '<' || redirection.operator === '<>')
    setInput(opening, descriptor, fileContent(target, opening.frame, runner));
  else if (redirection.operator === '<&') copyDescriptor(target, descriptor, opening);
  else openWrite({ redirection, target, descriptor }, opening, runner);
}

function setInput(opening: OpenRedirections, descriptor: number, texts: readonly Field[]): void {
  if (descriptor === 0) opening.frame = { ...opening.frame, stdin: texts, piped: false };
  else opening.descriptors.set(descriptor, texts);
}

function copyDescriptor(target: Word, descriptor: number, opening: OpenRedirections): void {
  const texts = opening.descriptors.get(Number(target.value));
  if (texts !== undefined) setInput(opening, descriptor, texts);
}

function hereDoc(
  { body, delimiter, operator }: HereDoc,
  frame: EvaluationFrame,
  runner: Evaluator,
): readonly Field[] {
  if (delimiter?.quoted || body.parts === undefined) {
    const text = operator === '<<-' ? body.text.replace(/^\t+/gm, '') : body.text;
    return [runner.decode(delimiter?.quoted ? text : text.replace(/\\\n/g, '').replace(/\\([$`\\])/g, '$1'))];
  }
  const { parts } = body;
  const texts = evaluateTexts(
    { frame, evaluate: (expander) => expander.body(parts), overLimit: 'joined' },
    runner,
  );
  return operator === '<<-' ? texts.map(withoutTabs) : texts;
}

function withoutTabs(field: Field): Field {
  return field.map((atom) =>
    atom.kind === 'text' ? { ...atom, text: atom.text.replace(/^\t+/gm, '') } : atom,
  );
}

/** Returns the content that the script wrote to a file or that `<( )` provides. */
function fileContent(target: Word, frame: EvaluationFrame, runner: Evaluator): readonly Field[] {
  return evaluateWord(target, frame, runner).flatMap((field): readonly Field[] =>
    readStoredText(field, frame.state),
  );
}

interface WriteRedirection {
  readonly redirection: Redirect;
  readonly target: Word;
  readonly descriptor: number;
}

function openWrite(
  { redirection, target, descriptor }: WriteRedirection,
  opening: OpenRedirections,
  runner: Evaluator,
): void {
  const { operator } = redirection;
  const both = operator.startsWith('&') || (operator === '>&' && !/^(?:\d+-?|-)$/.test(target.value));
  if (operator === '>&' && !both) {
    if (descriptor === 1) opening.frame = { ...opening.frame, output: undefined };
    return;
  }
  const substitution = target.parts?.[0];
  if (substitution?.type === 'ProcessSubstitution' && substitution.script !== undefined) {
    const { script } = substitution;
    captureInto(opening, (texts, frame) => {
      runner.capture(script, { ...frame, stdin: texts, piped: true, via: [...frame.via, '>( )'] });
    });
    return;
  }
  const targets = evaluateWord(target, opening.frame, runner);
  opening.writes.push(...targets.map((field) => ({ target: field, descriptor: both ? 1 : descriptor })));
  if (descriptor !== 1 && !both) return;
  captureInto(opening, (texts, { state }) => {
    for (const field of targets) storeFileText(field, { state, texts, append: operator.endsWith('>>') });
  });
}

/** Captures the output of the command and passes it on afterwards. */
function captureInto(
  opening: OpenRedirections,
  take: (texts: readonly Field[], frame: EvaluationFrame) => void,
): void {
  const { frame } = opening;
  const output = new CapturedOutput();
  opening.frame = { ...frame, output };
  opening.after.push(() => take(output.texts, frame));
}
