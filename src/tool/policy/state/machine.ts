import type { ParsedScript, SyntaxNode } from 'unbash';
import { NacreError } from '../../../errors.ts';
import type { Atom, Field } from '../words/atom.ts';
import type { Path } from '../words/path.ts';
import type { Budget } from './budget.ts';
import type { Output } from './output.ts';
import type { Span, State } from './state.ts';

/** Where a command stands: its shell, what it reads and prints, and inside what. */
export interface Frame {
  readonly state: State;
  /** What can be read from standard input: one of these texts; `undefined` when nobody knows. */
  readonly stdin: readonly Field[] | undefined;
  /** `undefined` when nobody listens. */
  readonly output: Output | undefined;
  /** From the outside in: `sudo`, `bash -c`, `$( )`. */
  readonly via: readonly string[];
  readonly depth: number;
  /** Functions being called, with their arguments. */
  readonly calls: readonly string[];
  /** Whether standard input is a pipe from another command. */
  readonly piped: boolean;
  /** The simple command that is being looked at. */
  readonly span: Span;
  /** The command that runs what is being looked at. */
  readonly outer: Part | null;
  /** Maps positions of the text being read to the command as it was given. */
  readonly place: (pos: number, end: number) => Span;
}

/** A file that a redirection writes. */
export interface Write {
  readonly target: Field;
  /** 1 for what the command prints, 2 for its errors. */
  readonly descriptor: number;
}

/** A simple command with its words evaluated, in one of the ways they can turn out. */
export interface Call {
  readonly argv: readonly Field[];
  readonly frame: Frame;
  /** Text that other descriptors than 0 offer for reading. */
  readonly descriptors: ReadonlyMap<number, readonly Field[]>;
  /** Names assigned for this command only. */
  readonly assigned: readonly string[];
  readonly writes: readonly Write[];
  /** Skips functions and aliases: `command`, `builtin`, `sudo`. */
  readonly plain: boolean;
}

/** One simple command that would run: what rules look at. */
export interface Part {
  /** Without directories: `/bin/rm` is `rm`. `null` when nobody knows. */
  readonly name: string | null;
  readonly argv: readonly Field[];
  readonly via: readonly string[];
  readonly span: Span;
  /** The directories it may run in. */
  readonly cwd: readonly Path[];
  readonly stdin: readonly Field[] | undefined;
  readonly piped: boolean;
  readonly assigned: readonly string[];
  readonly writes: readonly Write[];
  /** The command that runs this one: `sudo`, `bash -c`. */
  readonly outer: Part | null;
}

/** What performing a command gives: what it prints, or nothing when that was written already. */
export type Printed = readonly Field[] | undefined;

/** A command we know more about than its name. `undefined`: it prints something unknown. */
export type Handler = (call: Call, machine: Machine) => Printed;

/** For handlers whose inner commands have printed. */
export const WRITTEN: readonly Field[] = [];
/** For handlers that print nothing. */
export const SILENT: readonly Field[] = [[]];

/** What the commands that run other commands need from the interpreter. */
export interface Machine {
  readonly budget: Budget;
  /** Performs a simple command inside another one. */
  perform(call: Call): void;
  /** Runs texts as scripts in the shell of the frame. */
  runTexts(texts: readonly Field[], frame: Frame): void;
  /** Shows a part to the rules without performing it. */
  judge(part: Part): void;
  /** Text of the script being read, with the unknown pieces that were woven into it. */
  decode(text: string): Field;
  encode(field: Field): string;
  /** Reads a script and gives what it prints. */
  capture(script: ParsedScript, frame: Frame): readonly Field[];
  /** Runs the substitutions inside a node whose own value is not needed. */
  visit(node: SyntaxNode, frame: Frame): void;
  /** Runs what was left for the end of a shell. */
  finish(frame: Frame): void;
}

/** Turns pieces that are not text into characters no script uses, and back. */
export class Weave {
  readonly #atoms: Atom[] = [];
  readonly #codes = new Map<string, number>();

  encode(field: Field): string {
    return field.map((atom) => this.#encodeAtom(atom)).join('');
  }

  decode(text: string): Field {
    if (this.#atoms.length === 0 || !/[\uE000-\uF8FF]/.test(text))
      return text === '' ? [] : [{ kind: 'text', text }];
    const atoms: Atom[] = [];
    for (const [piece] of text.matchAll(/[\uE000-\uF8FF]|[^\uE000-\uF8FF]+/g)) {
      const woven = this.#atoms[piece.charCodeAt(0) - FIRST];
      atoms.push(woven ?? { kind: 'text', text: piece });
    }
    return atoms;
  }

  #encodeAtom(atom: Atom): string {
    if (atom.kind === 'text') return atom.text;
    // A script made of many possible words is read as all of them in a row.
    return atom.kind === 'mix' ? atom.words.map((word) => this.encode(word)).join(' ') : this.#code(atom);
  }

  #code(atom: Atom): string {
    const key = JSON.stringify(atom);
    const known = this.#codes.get(key);
    if (known !== undefined) return String.fromCharCode(FIRST + known);
    const index = this.#atoms.push(atom) - 1;
    if (FIRST + index > LAST)
      throw new NacreError('policy_limit', { limit: 'too many unknown pieces in scripts' });
    this.#codes.set(key, index);
    return String.fromCharCode(FIRST + index);
  }
}

// The private use area: not white space, not an operator, and no shell gives it a meaning.
const FIRST = 0xe000;
const LAST = 0xf8ff;
