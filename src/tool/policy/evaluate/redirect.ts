import type { HereDoc, Redirect, Redirection, Word } from 'unbash';
import type { Frame, Write } from '../state/machine.ts';
import { Output } from '../state/output.ts';
import { storedText, storeText } from '../state/stored-file.ts';
import type { Field } from '../words/atom.ts';
import { toField } from '../words/atom.ts';
import { concat } from '../words/join.ts';
import type { Runner } from './runner.ts';
import { descriptorOf, everyText, everyValue } from './runner.ts';

/** A command's surroundings once its redirections are in place. */
export interface Redirected {
  readonly frame: Frame;
  readonly descriptors: ReadonlyMap<number, readonly Field[]>;
  readonly writes: readonly Write[];
  /** What is to be done when the command has printed. */
  readonly finish: () => void;
}

interface Opening {
  frame: Frame;
  readonly descriptors: Map<number, readonly Field[]>;
  readonly writes: Write[];
  readonly after: (() => void)[];
}

/** Most commands have none. */
const UNTOUCHED: Omit<Redirected, 'frame'> = {
  descriptors: new Map(),
  writes: [],
  finish: () => undefined,
};

export function redirect(redirections: readonly Redirection[], frame: Frame, runner: Runner): Redirected {
  if (redirections.length === 0) return { frame, ...UNTOUCHED };
  const opening: Opening = { frame, descriptors: new Map(), writes: [], after: [] };
  for (const redirection of redirections) open(redirection, opening, runner);
  return {
    frame: opening.frame,
    descriptors: opening.descriptors,
    writes: opening.writes,
    finish: () => {
      for (const action of opening.after) action();
    },
  };
}

function open(redirection: Redirection, opening: Opening, runner: Runner): void {
  const descriptor = descriptorOf(redirection);
  if (redirection.type === 'HereDoc') {
    read(opening, descriptor, hereDoc(redirection, opening.frame, runner));
    return;
  }
  const { target } = redirection;
  if (target === undefined) return;
  if (redirection.type === 'HereString') {
    const texts = everyValue(target, opening.frame, runner);
    read(
      opening,
      descriptor,
      texts.map((text) => concat(text, toField('\n'))),
    );
    return;
  }
  if (redirection.operator === '<' || redirection.operator === '<>')
    read(opening, descriptor, fileContent(target, opening.frame, runner));
  else if (redirection.operator === '<&') copyDescriptor(target, descriptor, opening);
  else write({ redirection, target, descriptor }, opening, runner);
}

function read(opening: Opening, descriptor: number, texts: readonly Field[]): void {
  if (descriptor === 0) opening.frame = { ...opening.frame, stdin: texts, piped: false };
  else opening.descriptors.set(descriptor, texts);
}

function copyDescriptor(target: Word, descriptor: number, opening: Opening): void {
  const texts = opening.descriptors.get(Number(target.value));
  if (texts !== undefined) read(opening, descriptor, texts);
}

function hereDoc({ body, delimiter, operator }: HereDoc, frame: Frame, runner: Runner): readonly Field[] {
  if (delimiter?.quoted || body.parts === undefined) {
    const text = operator === '<<-' ? body.text.replace(/^\t+/gm, '') : body.text;
    return [runner.decode(delimiter?.quoted ? text : text.replace(/\\\n/g, '').replace(/\\([$`\\])/g, '$1'))];
  }
  const { parts } = body;
  const texts = everyText({ frame, evaluate: (expander) => expander.body(parts), crowded: 'joined' }, runner);
  return operator === '<<-' ? texts.map(withoutTabs) : texts;
}

function withoutTabs(field: Field): Field {
  return field.map((atom) =>
    atom.kind === 'text' ? { ...atom, text: atom.text.replace(/^\t+/gm, '') } : atom,
  );
}

/** What the script itself wrote into a file, or streams into `<( )`. */
function fileContent(target: Word, frame: Frame, runner: Runner): readonly Field[] {
  return everyValue(target, frame, runner).flatMap((field): readonly Field[] =>
    storedText(field, frame.state),
  );
}

interface Writing {
  readonly redirection: Redirect;
  readonly target: Word;
  readonly descriptor: number;
}

function write({ redirection, target, descriptor }: Writing, opening: Opening, runner: Runner): void {
  const { operator } = redirection;
  const both = operator.startsWith('&') || (operator === '>&' && !/^(?:\d+-?|-)$/.test(target.value));
  if (operator === '>&' && !both) {
    if (descriptor === 1) opening.frame = { ...opening.frame, output: undefined };
    return;
  }
  const substitution = target.parts?.[0];
  if (substitution?.type === 'ProcessSubstitution' && substitution.script !== undefined) {
    const { script } = substitution;
    pour(opening, (texts, frame) => {
      runner.capture(script, { ...frame, stdin: texts, piped: true, via: [...frame.via, '>( )'] });
    });
    return;
  }
  const targets = everyValue(target, opening.frame, runner);
  opening.writes.push(...targets.map((field) => ({ target: field, descriptor: both ? 1 : descriptor })));
  if (descriptor !== 1 && !both) return;
  pour(opening, (texts, { state }) => {
    for (const field of targets) storeText(field, { state, texts, append: operator.endsWith('>>') });
  });
}

/** Gathers what the command prints, and hands it over when it is done. */
function pour(opening: Opening, take: (texts: readonly Field[], frame: Frame) => void): void {
  const { frame } = opening;
  const output = new Output();
  opening.frame = { ...frame, output };
  opening.after.push(() => take(output.texts, frame));
}
