import type { ParsedScript, SyntaxNode } from 'unbash';
import { NacreError } from '../../../errors.ts';
import type { PolicyLimits } from '../../contract/policy-options.ts';
import type { SourceSpan } from '../../syntax/parse-script.ts';
import {
  type Atom,
  concatFields,
  type Field,
  fieldKey,
  renderField,
  toLiteral,
  UNKNOWN_FIELD,
} from './field.ts';
import { type FieldPath, fromFieldPath, START_PATH, toFieldPath } from './field-path.ts';
import { mayMatchName } from './field-pattern.ts';
import { type ScriptState, uniteDirectories, uniteTexts } from './script-state.ts';

/** Counts the work. Whoever exceeds it is refused: a check that stops early must not let pass. */
export class StepBudget {
  readonly #limits: PolicyLimits;
  #steps = 0;

  constructor(limits: PolicyLimits) {
    this.#limits = limits;
  }

  spend(steps = 1): void {
    this.#steps += steps;
    if (this.#steps > this.#limits.maxSteps) this.exceed(`more than ${this.#limits.maxSteps} steps`);
  }

  checkDepth(depth: number): void {
    if (depth > this.#limits.maxDepth) this.exceed(`more than ${this.#limits.maxDepth} levels`);
  }

  exceed(limit: string): never {
    throw new NacreError('policy_limit', { limit });
  }

  get steps(): number {
    return this.#steps;
  }
}

/** What a command prints, as far as that is known: one of these texts. */
export class CapturedOutput {
  texts: readonly Field[] = [[]];

  write(added: readonly Field[]): void {
    const texts = this.texts.flatMap((text) => added.map((more) => concatFields(text, more)));
    this.texts = uniteTexts(texts);
  }

  /** Runs the branches one by one from the same point; afterwards any of them may have printed. */
  branch(branches: readonly (() => void)[]): void {
    const before = this.texts;
    const after: Field[] = [];
    for (const branch of branches) {
      this.texts = before;
      branch();
      after.push(...this.texts);
    }
    this.texts = uniteTexts(after);
  }
}

/** Where a command stands: its shell, what it reads and prints, and inside what. */
export interface EvaluationFrame {
  readonly state: ScriptState;
  /** What can be read from standard input: one of these texts; `undefined` when nobody knows. */
  readonly stdin: readonly Field[] | undefined;
  /** `undefined` when nobody listens. */
  readonly output: CapturedOutput | undefined;
  /** From the outside in: `sudo`, `bash -c`, `$( )`. */
  readonly via: readonly string[];
  readonly depth: number;
  /** Functions being called, with their arguments. */
  readonly calls: readonly string[];
  /** Whether standard input is a pipe from another command. */
  readonly piped: boolean;
  /** The simple command that is being looked at. */
  readonly span: SourceSpan;
  /** The command that runs what is being looked at. */
  readonly outer: CommandPart | null;
  /** Maps positions of the text being read to the command as it was given. */
  readonly place: (pos: number, end: number) => SourceSpan;
}

/** A file that a redirection writes. */
export interface FileWrite {
  readonly target: Field;
  /** 1 for what the command prints, 2 for its errors. */
  readonly descriptor: number;
}

/** A simple command with its words evaluated, in one of the ways they can turn out. */
export interface EvaluatedCall {
  readonly argv: readonly Field[];
  readonly frame: EvaluationFrame;
  /** Text that other descriptors than 0 offer for reading. */
  readonly descriptors: ReadonlyMap<number, readonly Field[]>;
  /** Names assigned for this command only. */
  readonly assigned: readonly string[];
  readonly writes: readonly FileWrite[];
  /** Skips functions and aliases: `command`, `builtin`, `sudo`. */
  readonly plain: boolean;
}

/** One simple command that would run: what rules look at. */
export interface CommandPart {
  /** Without directories: `/bin/rm` is `rm`. `null` when nobody knows. */
  readonly name: string | null;
  readonly argv: readonly Field[];
  readonly via: readonly string[];
  readonly span: SourceSpan;
  /** The directories it may run in. */
  readonly cwd: readonly FieldPath[];
  readonly stdin: readonly Field[] | undefined;
  readonly piped: boolean;
  readonly assigned: readonly string[];
  readonly writes: readonly FileWrite[];
  /** The command that runs this one: `sudo`, `bash -c`. */
  readonly outer: CommandPart | null;
}

/** What performing a command gives: what it prints, or nothing when that was written already. */
export type PrintedTexts = readonly Field[] | undefined;

/** A command we know more about than its name. `undefined`: it prints something unknown. */
export type CommandHandler = (call: EvaluatedCall, machine: HandlerContext) => PrintedTexts;

/** For handlers whose inner commands have printed. */
export const ALREADY_PRINTED: readonly Field[] = [];
/** For handlers that print nothing. */
export const NO_OUTPUT: readonly Field[] = [[]];

/** What the commands that run other commands need from the interpreter. */
export interface HandlerContext {
  readonly budget: StepBudget;
  /** Performs a simple command inside another one. */
  perform(call: EvaluatedCall): void;
  /** Runs texts as scripts in the shell of the frame. */
  runTexts(texts: readonly Field[], frame: EvaluationFrame): void;
  /** Shows a part to the rules without performing it. */
  reportPart(part: CommandPart): void;
  /** Text of the script being read, with the unknown pieces that were woven into it. */
  decode(text: string): Field;
  encode(field: Field): string;
  /** Reads a script and gives what it prints. */
  capture(script: ParsedScript, frame: EvaluationFrame): readonly Field[];
  /** Runs the substitutions inside a node whose own value is not needed. */
  visit(node: SyntaxNode, frame: EvaluationFrame): void;
  /** Runs what was left for the end of a shell. */
  finish(frame: EvaluationFrame): void;
}

/** Turns pieces that are not text into characters no script uses, and back. */
export class UnknownEncoder {
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
      const woven = this.#atoms[piece.charCodeAt(0) - FIRST_CODE];
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
    if (known !== undefined) return String.fromCharCode(FIRST_CODE + known);
    const index = this.#atoms.push(atom) - 1;
    if (FIRST_CODE + index > LAST_CODE)
      throw new NacreError('policy_limit', { limit: 'too many unknown pieces in scripts' });
    this.#codes.set(key, index);
    return String.fromCharCode(FIRST_CODE + index);
  }
}

// The private use area: not white space, not an operator, and no shell gives it a meaning.
const FIRST_CODE = 0xe000;
const LAST_CODE = 0xf8ff;

/** Programs that are recognised even when a pattern stands for their name. */
const PATTERN_MATCHED_PROGRAMS = ['rm', 'git', 'find', 'bash', 'sh', 'sudo', 'env', 'xargs'];

/** The program a word runs, without its directory: `/bin/rm` and `/???/r?` are `rm`. */
export function toProgramName(field: Field): string | null {
  const text = toLiteral(field);
  if (text !== null) return text.slice(text.lastIndexOf('/') + 1);
  const last = toFieldPath(field, START_PATH).names.at(-1);
  if (last === undefined) return null;
  const name = toLiteral(last);
  if (name !== null) return name;
  if (!last.every(({ kind }) => kind === 'text' || kind === 'glob')) return null;
  return PATTERN_MATCHED_PROGRAMS.find((program) => mayMatchName(last, program)) ?? null;
}

/** A call as rules see it. */
export function toCommandPart({ argv, frame, assigned, writes }: EvaluatedCall): CommandPart {
  const [first = []] = argv;
  return {
    name: toProgramName(first),
    argv,
    via: frame.via,
    span: frame.span,
    cwd:
      frame.state.cwdUnchecked.length === 0
        ? frame.state.cwd
        : uniteDirectories([frame.state.cwd, frame.state.cwdUnchecked]),
    stdin: frame.stdin,
    piped: frame.piped,
    outer: frame.outer,
    assigned,
    writes,
  };
}

/** What a command would read from a file: what the script wrote there, or what stands on a descriptor. */
export function readKnownFile(
  field: Field,
  { frame, descriptors }: Pick<EvaluatedCall, 'frame' | 'descriptors'>,
): readonly Field[] {
  const name = toLiteral(field);
  if (name === '-' || name === '/dev/stdin' || name === '/dev/fd/0' || name === '/proc/self/fd/0')
    return frame.stdin ?? [UNKNOWN_FIELD];
  const descriptor = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(name ?? '');
  if (descriptor !== null) return descriptors.get(Number(descriptor[1])) ?? [UNKNOWN_FIELD];
  return readStoredText(field, frame.state);
}

export function readStoredText(field: Field, state: ScriptState): readonly Field[] {
  const [first] = field;
  if (field.length === 1 && first?.kind === 'stream') return first.content;
  const key = toFileKey(field, state);
  return (key === null ? undefined : state.get('file', key)) ?? [UNKNOWN_FIELD];
}

interface StoredWrite {
  readonly state: ScriptState;
  readonly texts: readonly Field[];
  readonly append: boolean;
}

/** Remembers what a command wrote into a file. */
export function storeFileText(field: Field, { state, texts, append }: StoredWrite): void {
  const key = toFileKey(field, state);
  if (key === null || toLiteral(field)?.startsWith('/dev/')) return;
  const output = new CapturedOutput();
  if (append) output.write(state.get('file', key) ?? [[]]);
  output.write(texts);
  state.set('file', key, output.texts);
}

/** One name for all the ways to write a path; `null` when it may be any file. */
export function toFileKey(field: Field, state: ScriptState): string | null {
  if (field.length === 0 || field.some(({ kind }) => kind !== 'text' && kind !== 'place')) return null;
  const path = toFieldPath(concatFields(field), state.cwd[0] ?? START_PATH);
  return path.base === 'unknown' ? null : fieldKey(fromFieldPath(path));
}

const MAX_RENDERED_WORDS = 40;

/** A part as a person would type it. */
export function renderCommandPart({ argv }: Pick<CommandPart, 'argv'>): string {
  const words = argv.slice(0, MAX_RENDERED_WORDS).map(renderField).join(' ');
  return argv.length > MAX_RENDERED_WORDS ? `${words} …` : words;
}
