import type { Script, Statement } from 'unbash';
import type { Span } from '../state/state.ts';
import { SETTERS } from './setters.ts';
import type { FoundCommand, FoundName, Survey } from './survey.ts';
import { survey } from './survey.ts';

/** What of a script has to be evaluated to judge it. */
export interface Slice {
  /** Whether nothing in a statement matters. */
  skips(statement: Statement): boolean;
  /** Whether the value of a variable matters. */
  needs(variable: string): boolean;
}

/** Everything matters. */
export const WHOLE: Slice = { skips: () => false, needs: () => true };

export interface SliceOptions {
  readonly source: string;
  /** Whether a command is one that rules or other commands care about. */
  readonly matters: (command: FoundCommand, source: string) => boolean;
  /** Variables whose value some program runs. */
  readonly code: ReadonlySet<string>;
}

// Shorter texts are evaluated whole: finding out what to leave out costs as much.
const MIN_LENGTH = 1_000;

/**
 * Finds the commands that matter and, backwards, everything their words can depend on:
 * variables, the assignments to these, functions whose output is used, and so on.
 *
 * It goes by names in the text, so it takes too much rather than too little; where a name
 * could be made up at run time, everything is taken.
 */
export function sliceOf(script: Script, { source, matters, code }: SliceOptions): Slice {
  if (source.length < MIN_LENGTH) return WHOLE;
  const found = survey(script);
  const slicer = new Slicer(source, found);
  const isMove = ({ name }: FoundCommand): boolean => MOVES.has(name ?? '');
  const counts = (command: FoundCommand): boolean => !command.around.placed || matters(command, source);
  for (const command of found.commands) if (!isMove(command) && counts(command)) slicer.takeCommand(command);
  for (const assignment of found.assignments) if (code.has(assignment.name)) slicer.takeName(assignment);
  // Where the shell is matters only to a command that matters.
  if (!slicer.empty) for (const command of found.commands.filter(isMove)) slicer.takeCommand(command);
  return slicer.finish();
}

const MOVES = new Set(['cd', 'pushd', 'popd']);

// Names put together at run time, or text that is decoded before it is read.
const MADE_UP =
  /\\\$\{?\w*\$|\$\{!|\$'[^']*\\(?:x24|0?44|u0*24|U0*24)|(?:^|[\s;|&(`])(?:base64|xxd|rev|openssl)\s|\b(?:declare|typeset|local)\s+-\w*n/;

class Slicer {
  readonly #source: string;
  readonly #survey: Survey;
  readonly #points = new Set<number>();
  readonly #variables = new Set<string>();
  readonly #words = new Set<string>();
  readonly #texts: string[] = [];
  readonly #taken = new Set<string>();
  #everything = false;

  constructor(source: string, found: Survey) {
    this.#source = source;
    this.#survey = found;
  }

  get empty(): boolean {
    return this.#points.size === 0;
  }

  takeCommand({ node, around }: FoundCommand): void {
    this.#mark(node.pos, around.anchors);
    this.#take(around.pipeline ?? { start: node.pos, end: node.end });
    for (const redirect of node.redirects)
      if (redirect.type === 'HereDoc') this.#take({ start: redirect.body.pos, end: redirect.body.end });
  }

  finish(): Slice {
    const before = { variables: -1, words: -1 };
    // Each round may bring names that ask for more.
    while (
      !this.#everything &&
      (before.variables !== this.#variables.size || before.words !== this.#words.size)
    ) {
      before.variables = this.#variables.size;
      before.words = this.#words.size;
      for (const text of this.#texts.splice(0)) this.#read(text);
      this.#follow();
    }
    return this.#everything ? WHOLE : this.#slice();
  }

  #slice(): Slice {
    const points = [...this.#points].sort((a, b) => a - b);
    const skipped = new Set(
      this.#survey.statements.filter(({ pos, end }) => {
        const at = firstAtLeast(points, pos);
        return (points[at] ?? end) >= end;
      }),
    );
    return {
      skips: (statement) => skipped.has(statement),
      needs: (variable) => this.#variables.has(variable),
    };
  }

  /** Takes what gives the names found so far their meaning. */
  #follow(): void {
    const { assignments, choices, functions, commands } = this.#survey;
    const wanted = [
      ...assignments.filter(({ name }) => this.#variables.has(name)),
      ...choices.filter(({ name }) => name === '' || this.#variables.has(name)),
      ...functions.filter(({ name }) => this.#words.has(name)),
    ];
    for (const found of wanted) this.takeName(found);
    const busy = new Set(
      functions.filter((definition) => this.#holdsPoints(definition)).map(({ name }) => name),
    );
    for (const command of commands) this.#followCommand(command, busy);
  }

  #followCommand(command: FoundCommand, busy: ReadonlySet<string>): void {
    const { node, name, around } = command;
    if (name === null) return;
    const sets = SETTERS.has(name) && this.#sets(node.pos, node.end);
    if (sets) this.takeName({ name: '', span: around.statement, around });
    if (sets || busy.has(name)) this.takeCommand(command);
  }

  /** Whether a function does anything that matters. */
  #holdsPoints({ span }: FoundName): boolean {
    for (const point of this.#points) if (point > span.start && point < span.end) return true;
    return false;
  }

  #sets(start: number, end: number): boolean {
    const words = this.#source.slice(start, end).match(/[A-Za-z_]\w*/g) ?? [];
    return words.some((word) => this.#variables.has(word));
  }

  takeName({ span, around }: FoundName): void {
    this.#mark(span.start, around.anchors);
    this.#take(span);
  }

  #mark(point: number, anchors: readonly number[]): void {
    for (const at of [point, ...anchors]) this.#points.add(at);
  }

  #take({ start, end }: Span): void {
    const key = `${start} ${end}`;
    if (this.#taken.has(key)) return;
    this.#taken.add(key);
    this.#texts.push(this.#source.slice(start, end));
  }

  /** Every name in the text counts: as a variable if a dollar precedes it, as a function otherwise. */
  #read(source: string): void {
    // A line of nothing but a comment is one in whatever script it stands.
    const text = source.replace(/^[ \t]*#.*$/gm, '');
    if (MADE_UP.test(text)) this.#everything = true;
    for (const [, name = ''] of text.matchAll(/\$\{?[#]?([A-Za-z_]\w*)/g)) this.#variables.add(name);
    for (const [name] of text.matchAll(/[A-Za-z_][\w-]*/g)) this.#words.add(name);
  }
}

function firstAtLeast(points: readonly number[], value: number): number {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
