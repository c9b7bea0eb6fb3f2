import type { Call, Handler, Machine, Printed } from '../state/machine.ts';
import { inside, joinWords, runApart } from '../unwrap/unwrap.ts';
import type { Field } from '../words/atom.ts';
import { literalOf } from '../words/atom.ts';
import type { Form, Place } from './places.ts';
import { PLACES } from './places.ts';

/**
 * Commands for another machine or a container. They are judged as if they were run here: what is gone there is gone, too.
 */
export const elsewhere: readonly (readonly [string, Handler])[] = Object.entries(PLACES).map(
  ([name, place]) => [name, (call, machine) => perform({ name, place, call }, machine)],
);

interface Performing {
  readonly name: string;
  readonly place: Place;
  readonly call: Call;
}

function perform({ name, place, call }: Performing, machine: Machine): Printed {
  const words = call.argv.slice(1);
  for (const form of place.forms) {
    const reader = new Reader(words, { ...place, ...form });
    if (!reader.takeVerbs(form.verbs ?? [])) continue;
    const label = [name, ...(form.verbs ?? [])].join(' ');
    runForm(reader, { form: { ...place, ...form }, call, label }, machine);
    return undefined;
  }
  return undefined;
}

interface Running {
  readonly form: Place & Form;
  readonly call: Call;
  readonly label: string;
}

function runForm(reader: Reader, { form, call, label }: Running, machine: Machine): void {
  // What is fed to it is read there.
  const frame = inside(call.frame, label);
  const command = form.scripts === undefined ? reader.takeCommand(form.operands ?? 0) : reader.takeOptions();
  for (const script of reader.scripts) runApart([script], frame, machine);
  if (command.length === 0) {
    if (form.reads) runApart(call.frame.stdin ?? [], frame, machine);
    return;
  }
  if (form.joins) {
    runApart([joinWords(command)], { ...frame }, machine);
    runInput(command, { call, label }, machine);
    return;
  }
  const state = frame.state.fork();
  machine.perform({ ...call, frame: { ...frame, state }, argv: command, plain: true });
  state.end();
}

/** `ssh host bash -s`: the shell over there reads what this one is fed; joined words are no part of a call any more. */
function runInput(
  command: readonly Field[],
  { call, label }: { readonly call: Call; readonly label: string },
  machine: Machine,
): void {
  const [first, second] = command.map(literalOf);
  const isShell = command.length <= 2 && /^(?:ba|da|z|k)?sh(?:$| -s)/.test(first ?? '');
  if (isShell && (second === undefined || second === '-s'))
    runApart(call.frame.stdin ?? [], inside(call.frame, label), machine);
}

/** Takes words one after the other, as programs with verbs between their options do. */
class Reader {
  readonly scripts: Field[] = [];
  #entrypoint: Field | null = null;
  readonly #words: readonly Field[];
  readonly #form: Place & Form;
  #at = 0;

  constructor(words: readonly Field[], form: Place & Form) {
    this.#words = words;
    this.#form = form;
  }

  /** Whether the words begin with these, options between them left out. */
  takeVerbs(verbs: readonly string[]): boolean {
    for (const verb of verbs) {
      this.#skipOptions();
      if (literalOf(this.#words[this.#at]) !== verb) return false;
      this.#at += 1;
    }
    return true;
  }

  /** What comes after so many operands, or after `--`. */
  takeCommand(operands: number): readonly Field[] {
    const fence = this.#words.findIndex((word, index) => index >= this.#at && literalOf(word) === '--');
    if (this.#form.fenced) return fence < 0 ? [] : this.#withEntrypoint(this.#words.slice(fence + 1));
    for (let left = operands; left >= 0; left -= 1) {
      this.#skipOptions();
      if (left > 0) this.#at += 1;
    }
    const rest = this.#words.slice(this.#at);
    return this.#withEntrypoint(literalOf(rest[0]) === '--' ? rest.slice(1) : rest);
  }

  /** All that is left are options and names: only the options matter. */
  takeOptions(): readonly Field[] {
    for (; this.#at < this.#words.length; this.#at += 1) this.#skipOptions();
    return [];
  }

  #withEntrypoint(command: readonly Field[]): readonly Field[] {
    return this.#entrypoint === null ? command : [this.#entrypoint, ...command];
  }

  #skipOptions(): void {
    for (;;) {
      const text = headOf(this.#words[this.#at]);
      if (!text.startsWith('-') || text === '-' || text === '--') return;
      this.#takeOption(text);
    }
  }

  #takeOption(text: string): void {
    const [, name = text, inline] = /^(--?[^=]+)=(.*)$/s.exec(text) ?? [];
    const takes = inline === undefined && this.#takesValue(name);
    const value =
      inline === undefined ? this.#words[this.#at + 1] : [{ kind: 'text', text: inline } as const];
    this.#at += takes ? 2 : 1;
    if (value === undefined || (inline === undefined && !takes)) return;
    if (this.#form.scripts?.includes(name)) this.scripts.push(value);
    if (name === '--entrypoint') this.#entrypoint = value;
  }

  /** Long options take a value unless they are known not to; of short ones those that are known to. */
  #takesValue(name: string): boolean {
    const { short = '', flags = [], long } = this.#form;
    if (name.startsWith('--'))
      return long === undefined ? !flags.includes(name.slice(2)) : long.includes(name.slice(2));
    // The first letter that takes a value takes the rest of the word.
    const at = [...name.slice(1)].findIndex((letter) => short.includes(letter));
    return at >= 0 && at === name.length - 2;
  }
}

function headOf(word: Field | undefined): string {
  const first = word?.[0];
  return first?.kind === 'text' ? first.text : '';
}
