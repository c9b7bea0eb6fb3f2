import type { Command, Script, Statement, SyntaxNode } from 'unbash';
import { wordList } from '../../../engine/text/word-list.ts';
import { loadUnbash, type SourceSpan } from '../../syntax/parse-script.ts';
import { COMMAND_HANDLERS } from '../programs/handler-table.ts';
import { LANGUAGE_NAMES } from '../programs/inline-program.ts';
import { mayRunArguments } from '../unwrap/unknown-program.ts';

/** A command found in the script, with its context. */
interface FoundCommand {
  readonly node: Command;
  /** `null` when the name is not literal. */
  readonly name: string | null;
  readonly around: Around;
}

/** A definition of a name: an assignment, a function or a loop variable. */
interface FoundName {
  readonly name: string;
  readonly span: SourceSpan;
  readonly around: Around;
}

/** The context of a node. */
interface Around {
  /** The enclosing pipeline; `null` outside pipelines. */
  readonly pipeline: SourceSpan | null;
  readonly statement: SourceSpan;
  /** Positions of the enclosing here-documents and decoded substitutions, whose own text is elsewhere. */
  readonly anchors: readonly number[];
  /** Whether the positions are those of the command. */
  readonly placed: boolean;
}

/** All commands, definitions and statements of a script. */
interface Survey {
  readonly commands: readonly FoundCommand[];
  readonly assignments: readonly FoundName[];
  readonly functions: readonly FoundName[];
  /** `for`, `select` and `case`; the span covers the words. */
  readonly choices: readonly FoundName[];
  readonly statements: readonly Statement[];
}

interface Pending {
  readonly node: SyntaxNode;
  readonly around: Around;
}

/** Collects the contents of a syntax tree in one walk, including nested scripts. */
function survey(root: SyntaxNode): Survey {
  const { forEachChild } = loadUnbash();
  const found = {
    commands: [],
    assignments: [],
    functions: [],
    choices: [],
    statements: [],
  } satisfies Survey;
  const start: Around = { pipeline: null, statement: spanOf(root), anchors: [], placed: true };
  const pending: Pending[] = [{ node: root, around: start }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    note(next, found);
    const around = inner(next);
    forEachChild(next.node, (child) => pending.push({ node: child, around }));
  }
  return found;
}

interface Finding {
  readonly commands: FoundCommand[];
  readonly assignments: FoundName[];
  readonly functions: FoundName[];
  readonly choices: FoundName[];
  readonly statements: Statement[];
}

function note({ node, around }: Pending, found: Finding): void {
  switch (node.type) {
    case 'Statement':
      if (around.placed) found.statements.push(node);
      return;
    case 'Command': {
      const name = node.name === undefined ? '' : node.name.parts === undefined ? node.name.value : null;
      if (node.name !== undefined || node.redirects.length > 0) found.commands.push({ node, name, around });
      return;
    }
    case 'Assignment':
      found.assignments.push({ name: node.name, span: spanOf(node), around });
      return;
    case 'Function':
      found.functions.push({ name: node.name.value, span: spanOf(node), around });
      return;
    case 'For':
    case 'Select':
      found.choices.push({ name: node.name.value, span: { start: node.pos, end: node.body.pos }, around });
      return;
    case 'Case':
      found.choices.push({ name: '', span: spanOf(node.word), around });
  }
}

/** Returns the context of the children of a node. */
function inner({ node, around }: Pending): Around {
  switch (node.type) {
    case 'Statement':
      return { ...around, statement: spanOf(node), pipeline: null };
    case 'Pipeline':
      return node.commands.length > 1 ? { ...around, pipeline: around.pipeline ?? spanOf(node) } : around;
    case 'HereDoc':
      return { ...around, anchors: [...around.anchors, node.pos] };
    case 'CommandExpansion':
      return node.script?.source === undefined
        ? around
        : { ...around, placed: false, anchors: [...around.anchors, node.pos] };
    default:
      return around;
  }
}

function spanOf({ pos, end }: { readonly pos: number; readonly end: number }): SourceSpan {
  return { start: pos, end };
}

/** Builtins that set variables without an assignment. */
const SETTERS: ReadonlySet<string> = new Set(
  wordList('read mapfile readarray printf getopts unset export declare typeset local readonly'),
);

/** Commands that only matter when the variable they set matters. */
const ONLY_SET = new Set([...SETTERS, 'tee', 'shopt']);

/** Git commands that neither add, push nor run other commands. */
const HARMLESS_GIT = new Set(
  wordList(`
  log status diff show rev-parse ls-files branch checkout fetch merge-base cat-file for-each-ref rev-list
  describe symbolic-ref commit merge tag show-ref update-index hash-object commit-tree read-tree
  write-tree update-ref reset stash clone init remote ls-tree ls-remote diff-index diff-tree diff-files
  name-rev var grep apply am mv rm
`),
);

const RUNS_COMMANDS =
  /system|exec|popen|spawn|subprocess|Popen|Command|qx|rmtree|remove|rimraf|rm_rf?|rm(?:dir)?Sync|\.rm|do shell|`|\|/;

/** Creates a predicate for commands that a rule may match, or that may run such a command. */
export function createRelevance(
  names: ReadonlySet<string>,
): (command: FoundCommand, source: string) => boolean {
  return ({ node, name }, source) => {
    if (name === null) return true;
    const program = name.slice(name.lastIndexOf('/') + 1);
    if (program === 'git') return !isHarmlessGit(node);
    if (names.has(program) || program.startsWith('git-')) return true;
    return mayRun(program, node, source) || (name.includes('/') && isWritten(program, source));
  };
}

function mayRun(program: string, node: Command, source: string): boolean {
  if (LANGUAGE_NAMES.includes(program)) return RUNS_COMMANDS.test(source.slice(node.pos, node.end));
  if (ONLY_SET.has(program)) return false;
  if (program === 'sed') return /\b(?:git|rm)\b/.test(source.slice(node.pos, node.end));
  const words = node.args.map((item) => (item.type === 'Word' ? item.value : ''));
  return COMMAND_HANDLERS.has(program) || mayRunArguments(program, words) || writesScript(node, source);
}

function isHarmlessGit({ args }: Command): boolean {
  const [verb] = args;
  return verb?.type === 'Word' && verb.parts === undefined && HARMLESS_GIT.has(verb.text);
}

/** Whether a command writes a file that is mentioned again, since it may be run. */
function writesScript({ redirects }: Command, source: string): boolean {
  return redirects.some((redirect) => {
    if (redirect.type !== 'Redirect' || !redirect.operator.includes('>')) return false;
    const name = redirect.target?.value.replace(/.*\//, '') ?? '';
    return name !== 'null' && !/^\d+$/.test(name) && source.indexOf(name) !== source.lastIndexOf(name);
  });
}

function isWritten(program: string, source: string): boolean {
  return source.indexOf(program) !== source.lastIndexOf(program);
}

/** Selects the parts of a script that must be evaluated. */
export interface Slice {
  /** Whether a statement can be skipped. */
  skips(statement: Statement): boolean;
  /** Whether the value of a variable is needed. */
  needs(variable: string): boolean;
}

/** A slice that contains the whole script. */
export const WHOLE: Slice = { skips: () => false, needs: () => true };

/** Options for computing a slice. */
interface SliceOptions {
  readonly source: string;
  /** Whether a command must be evaluated. */
  readonly matters: (command: FoundCommand, source: string) => boolean;
  /** Variables whose value a program runs. */
  readonly code: ReadonlySet<string>;
}

// Shorter scripts are evaluated completely because computing a slice takes as long.
const MIN_LENGTH = 1_000;

/**
 * Finds the commands that matter and everything their words can depend on: variables, assignments to these,
 * functions whose output is used, and so on.
 *
 * The analysis uses the names in the text and errs on the side of inclusion. A name that may be constructed at
 * run time selects the whole script.
 */
export function sliceOf(script: Script, { source, matters, code }: SliceOptions): Slice {
  if (source.length < MIN_LENGTH) return WHOLE;
  const found = survey(script);
  const slicer = new Slicer(source, found);
  const isMove = ({ name }: FoundCommand): boolean => MOVES.has(name ?? '');
  const counts = (command: FoundCommand): boolean => !command.around.placed || matters(command, source);
  for (const command of found.commands) if (!isMove(command) && counts(command)) slicer.takeCommand(command);
  for (const assignment of found.assignments) if (code.has(assignment.name)) slicer.takeName(assignment);
  // The directory matters only to a selected command.
  if (!slicer.empty) for (const command of found.commands.filter(isMove)) slicer.takeCommand(command);
  return slicer.finish();
}

const MOVES = new Set(['cd', 'pushd', 'popd']);

// Names constructed at run time, or text that is decoded before it runs.
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
    // Each round may add names that select more.
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

  /** Selects the definitions of the names found so far. */
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

  /** Whether a function contains a selected command. */
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

  #take({ start, end }: SourceSpan): void {
    const key = `${start} ${end}`;
    if (this.#taken.has(key)) return;
    this.#taken.add(key);
    this.#texts.push(this.#source.slice(start, end));
  }

  /** Collects names from a text: a variable after a dollar sign, any other word as a function. */
  #read(source: string): void {
    // A line that is only a comment is one in every context.
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
