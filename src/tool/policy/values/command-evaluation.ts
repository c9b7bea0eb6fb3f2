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
  toField,
  toLiteral,
  UNKNOWN_FIELD,
} from './field.ts';
import { type FieldPath, fromFieldPath, START_PATH, toFieldPath } from './field-path.ts';
import { mayMatchName } from './field-pattern.ts';
import { type ScriptState, uniteDirectories, uniteTexts } from './script-state.ts';

/**
 * Counts evaluation steps and throws `policy_limit` at the limit, so that an incomplete check never allows a
 * command.
 */
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
}

/** Collects the output that commands may print, as a list of alternatives. */
export class CapturedOutput {
  texts: readonly Field[] = [[]];

  write(added: readonly Field[]): void {
    const texts = this.texts.flatMap((text) => added.map((more) => concatFields(text, more)));
    this.texts = uniteTexts(texts);
  }

  /** Runs each branch from the same starting output and keeps the results of all of them as alternatives. */
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

/** The context in which a command is evaluated: shell state, input, output and enclosing commands. */
export interface EvaluationFrame {
  readonly state: ScriptState;
  /** Alternatives for the content of standard input; `undefined` when it is unknown. */
  readonly stdin: readonly Field[] | undefined;
  /** `undefined` when the output is not needed. */
  readonly output: CapturedOutput | undefined;
  /** Enclosing constructs, outermost first: `sudo`, `bash -c`, `$( )`. */
  readonly via: readonly string[];
  readonly depth: number;
  /** Signatures of the active function calls: function number and arguments. */
  readonly calls: readonly string[];
  /** Whether standard input is a pipe from another command. */
  readonly piped: boolean;
  /** Location of the simple command being evaluated. */
  readonly span: SourceSpan;
  /** The command that runs the one being evaluated. */
  readonly outer: CommandPart | null;
  /** Maps positions in the parsed text to positions in the original command. */
  readonly toSpan: (pos: number, end: number) => SourceSpan;
}

/** A file that a redirection writes. */
export interface FileWrite {
  readonly target: Field;
  /** File descriptor number: 1 for standard output, 2 for standard error. */
  readonly descriptor: number;
}

/** A simple command with one possible result of expanding its words. */
export interface EvaluatedCall {
  readonly argv: readonly Field[];
  readonly frame: EvaluationFrame;
  /** Known input on descriptors other than 0. */
  readonly descriptors: ReadonlyMap<number, readonly Field[]>;
  /** Variables assigned only for this command. */
  readonly assigned: readonly string[];
  readonly writes: readonly FileWrite[];
  /** Whether functions and aliases are skipped, as with `command`, `builtin` and `sudo`. */
  readonly plain: boolean;
}

/** One simple command that would run, in the form that rules check. */
export interface CommandPart {
  /** Program name without its directory: `rm` for `/bin/rm`. `null` when it is unknown. */
  readonly name: string | null;
  readonly argv: readonly Field[];
  readonly via: readonly string[];
  readonly span: SourceSpan;
  /** The directories in which the command may run. */
  readonly cwd: readonly FieldPath[];
  readonly stdin: readonly Field[] | undefined;
  readonly piped: boolean;
  readonly assigned: readonly string[];
  readonly writes: readonly FileWrite[];
  /** The command that runs this one, such as `sudo` or `bash -c`. */
  readonly outer: CommandPart | null;
}

/**
 * Output of a handled command: alternatives, an empty list when it was already written, `undefined` when it is
 * unknown.
 */
export type PrintedTexts = readonly Field[] | undefined;

/** Evaluates a program whose behaviour is known. `undefined` means that the output is unknown. */
export type CommandHandler = (call: EvaluatedCall, context: HandlerContext) => PrintedTexts;

/** Returned by handlers whose inner commands wrote their own output. */
export const ALREADY_PRINTED: readonly Field[] = [];
/** Returned by handlers of commands that print nothing. */
export const NO_OUTPUT: readonly Field[] = [[]];

/** Interpreter functions available to handlers of commands that run other commands. */
export interface HandlerContext {
  readonly budget: StepBudget;
  /** Evaluates a simple command inside another one. */
  perform(call: EvaluatedCall): void;
  /** Evaluates texts as scripts in the shell of the frame. */
  runTexts(texts: readonly Field[], frame: EvaluationFrame): void;
  /** Passes a part to the rules without evaluating it. */
  reportPart(part: CommandPart): void;
  /** Converts script text back to a field and restores the encoded unknown pieces. */
  decode(text: string): Field;
  /** Evaluates a script in a subshell and returns its possible output. */
  capture(script: ParsedScript, frame: EvaluationFrame): readonly Field[];
  /** Runs the substitutions inside a node whose value is not needed. */
  visit(node: SyntaxNode, frame: EvaluationFrame): void;
  /** Runs the exit traps of a shell and ends its state. */
  finish(frame: EvaluationFrame): void;
}

/** Encodes unknown pieces as private-use characters so that a script containing them can be parsed. */
export class UnknownEncoder {
  readonly #atoms: Atom[] = [];
  readonly #codes = new Map<string, number>();

  encode(field: Field): string {
    return field.map((atom) => this.#encodeAtom(atom)).join('');
  }

  decode(text: string): Field {
    if (this.#atoms.length === 0 || !/[\uE000-\uF8FF]/.test(text)) return toField(text);
    const atoms: Atom[] = [];
    for (const [piece] of text.matchAll(/[\uE000-\uF8FF]|[^\uE000-\uF8FF]+/g)) {
      const encoded = this.#atoms[piece.charCodeAt(0) - FIRST_CODE];
      atoms.push(encoded ?? { kind: 'text', text: piece });
    }
    return atoms;
  }

  #encodeAtom(atom: Atom): string {
    if (atom.kind === 'text') return atom.text;
    // A script made of a mix is parsed as all its words in sequence.
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

// The Unicode private use area: neither white space nor an operator, and without meaning in a shell.
const FIRST_CODE = 0xe000;
const LAST_CODE = 0xf8ff;

/** Programs that are also recognised when a glob pattern spells their name. */
const PATTERN_MATCHED_PROGRAMS = ['rm', 'git', 'find', 'bash', 'sh', 'sudo', 'env', 'xargs'];

/** Returns the program that a word runs, without its directory: `rm` for `/bin/rm` and `/???/r?`. */
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

/** Converts an evaluated call to the form that rules check. */
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

/** Returns the possible content of a file that the script wrote or that a descriptor refers to. */
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

/** Returns the possible content of a file that the script wrote or that a substitution provides. */
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

/** Records the text that a command writes to a file. */
export function storeFileText(field: Field, { state, texts, append }: StoredWrite): void {
  const key = toFileKey(field, state);
  if (key === null || toLiteral(field)?.startsWith('/dev/')) return;
  const output = new CapturedOutput();
  if (append) output.write(state.get('file', key) ?? [[]]);
  output.write(texts);
  state.set('file', key, output.texts);
}

/** Returns a normalised key for a path; `null` when the path is not known. */
function toFileKey(field: Field, state: ScriptState): string | null {
  if (field.length === 0 || field.some(({ kind }) => kind !== 'text' && kind !== 'symbol')) return null;
  const path = toFieldPath(concatFields(field), state.cwd[0] ?? START_PATH);
  return path.base === 'unknown' ? null : fieldKey(fromFieldPath(path));
}

const MAX_RENDERED_WORDS = 40;

/** Renders a part as shell text for messages. */
export function renderCommandPart({ argv }: Pick<CommandPart, 'argv'>): string {
  const words = argv.slice(0, MAX_RENDERED_WORDS).map(renderField).join(' ');
  return argv.length > MAX_RENDERED_WORDS ? `${words} …` : words;
}
