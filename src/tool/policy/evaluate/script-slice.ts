import type { Command, Script, Statement, SyntaxNode } from 'unbash';
import { wordList } from '../../../engine/text/word-list.ts';
import { loadUnbash, type SourceSpan } from '../../syntax/parse-script.ts';
import { COMMAND_HANDLERS } from '../programs/handler-table.ts';
import { LANGUAGE_NAMES } from '../programs/inline-program.ts';
import { mayRunArguments } from '../unwrap/unknown-program.ts';

/** A command found in the script, with its context. */
interface CommandUse {
  readonly node: Command;
  /** `null` when the name is not literal. */
  readonly name: string | null;
  readonly context: NodeContext;
}

/** A definition of a name: an assignment, a function or a loop variable. */
interface NameDefinition {
  readonly name: string;
  readonly span: SourceSpan;
  readonly context: NodeContext;
}

/** The context of a node. */
interface NodeContext {
  /** The enclosing pipeline; `null` outside pipelines. */
  readonly pipeline: SourceSpan | null;
  readonly statement: SourceSpan;
  /** Positions of the enclosing here-documents and decoded substitutions, whose own text is elsewhere. */
  readonly anchors: readonly number[];
  /** Whether the positions are those of the command. */
  readonly hasPositions: boolean;
}

/** All commands, definitions and statements of a script. */
interface ScriptContents {
  readonly commands: CommandUse[];
  readonly assignments: NameDefinition[];
  readonly functions: NameDefinition[];
  /** `for`, `select` and `case`; the span covers the words. */
  readonly loops: NameDefinition[];
  readonly statements: Statement[];
}

interface PendingNode {
  readonly node: SyntaxNode;
  readonly context: NodeContext;
}

/** Collects the contents of a syntax tree in one walk, including nested scripts. */
function collectContents(root: SyntaxNode): ScriptContents {
  const { forEachChild } = loadUnbash();
  const contents: ScriptContents = {
    commands: [],
    assignments: [],
    functions: [],
    loops: [],
    statements: [],
  };
  const start: NodeContext = { pipeline: null, statement: spanOf(root), anchors: [], hasPositions: true };
  const pending: PendingNode[] = [{ node: root, context: start }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    addNode(next, contents);
    const context = childContext(next);
    forEachChild(next.node, (child) => pending.push({ node: child, context }));
  }
  return contents;
}

function addNode({ node, context }: PendingNode, contents: ScriptContents): void {
  switch (node.type) {
    case 'Statement':
      if (context.hasPositions) contents.statements.push(node);
      return;
    case 'Command': {
      const name = node.name === undefined ? '' : node.name.parts === undefined ? node.name.value : null;
      if (node.name !== undefined || node.redirects.length > 0)
        contents.commands.push({ node, name, context });
      return;
    }
    case 'Assignment':
      contents.assignments.push({ name: node.name, span: spanOf(node), context });
      return;
    case 'Function':
      contents.functions.push({ name: node.name.value, span: spanOf(node), context });
      return;
    case 'For':
    case 'Select':
      contents.loops.push({ name: node.name.value, span: { start: node.pos, end: node.body.pos }, context });
      return;
    case 'Case':
      contents.loops.push({ name: '', span: spanOf(node.word), context });
  }
}

/** Returns the context of the children of a node. */
function childContext({ node, context }: PendingNode): NodeContext {
  switch (node.type) {
    case 'Statement':
      return { ...context, statement: spanOf(node), pipeline: null };
    case 'Pipeline':
      return node.commands.length > 1 ? { ...context, pipeline: context.pipeline ?? spanOf(node) } : context;
    case 'HereDoc':
      return { ...context, anchors: [...context.anchors, node.pos] };
    case 'CommandExpansion':
      return node.script?.source === undefined
        ? context
        : { ...context, hasPositions: false, anchors: [...context.anchors, node.pos] };
    default:
      return context;
  }
}

function spanOf({ pos, end }: { readonly pos: number; readonly end: number }): SourceSpan {
  return { start: pos, end };
}

/** Builtins that set variables without an assignment. */
const VARIABLE_SETTERS: ReadonlySet<string> = new Set(
  wordList('read mapfile readarray printf getopts unset export declare typeset local readonly'),
);

/** Commands that only matter when the variable they set matters. */
const SETTERS_ONLY = new Set([...VARIABLE_SETTERS, 'tee', 'shopt']);

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
): (command: CommandUse, source: string) => boolean {
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
  if (SETTERS_ONLY.has(program)) return false;
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
export interface ScriptSlice {
  /** Whether a statement can be skipped. */
  skips(statement: Statement): boolean;
  /** Whether the value of a variable is needed. */
  needs(variable: string): boolean;
}

/** A slice that contains the whole script. */
export const WHOLE_SCRIPT: ScriptSlice = { skips: () => false, needs: () => true };

/** Options for computing a slice. */
interface SliceOptions {
  readonly source: string;
  /** Whether a command must be evaluated. */
  readonly isRelevant: (command: CommandUse, source: string) => boolean;
  /** Variables whose value a program runs. */
  readonly commandVariables: ReadonlySet<string>;
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
export function createSlice(
  script: Script,
  { source, isRelevant, commandVariables }: SliceOptions,
): ScriptSlice {
  if (source.length < MIN_LENGTH) return WHOLE_SCRIPT;
  const contents = collectContents(script);
  const slicer = new Slicer(source, contents);
  const changesDirectory = ({ name }: CommandUse): boolean => DIRECTORY_BUILTINS.has(name ?? '');
  const isSelected = (command: CommandUse): boolean =>
    !command.context.hasPositions || isRelevant(command, source);
  for (const command of contents.commands)
    if (!changesDirectory(command) && isSelected(command)) slicer.selectCommand(command);
  for (const assignment of contents.assignments)
    if (commandVariables.has(assignment.name)) slicer.selectDefinition(assignment);
  // The directory matters only to a selected command.
  if (!slicer.isEmpty)
    for (const command of contents.commands.filter(changesDirectory)) slicer.selectCommand(command);
  return slicer.finish();
}

const DIRECTORY_BUILTINS = new Set(['cd', 'pushd', 'popd']);

// Names constructed at run time, or text that is decoded before it runs.
const DYNAMIC_NAMES =
  /\\\$\{?\w*\$|\$\{!|\$'[^']*\\(?:x24|0?44|u0*24|U0*24)|(?:^|[\s;|&(`])(?:base64|xxd|rev|openssl)\s|\b(?:declare|typeset|local)\s+-\w*n/;

class Slicer {
  readonly #source: string;
  readonly #contents: ScriptContents;
  readonly #positions = new Set<number>();
  readonly #variables = new Set<string>();
  readonly #names = new Set<string>();
  readonly #pendingTexts: string[] = [];
  readonly #queued = new Set<string>();
  #selectsAll = false;

  constructor(source: string, contents: ScriptContents) {
    this.#source = source;
    this.#contents = contents;
  }

  get isEmpty(): boolean {
    return this.#positions.size === 0;
  }

  selectCommand({ node, context }: CommandUse): void {
    this.#addPositions(node.pos, context.anchors);
    this.#queueText(context.pipeline ?? { start: node.pos, end: node.end });
    for (const redirect of node.redirects)
      if (redirect.type === 'HereDoc') this.#queueText({ start: redirect.body.pos, end: redirect.body.end });
  }

  finish(): ScriptSlice {
    let before = -1;
    // Each round may add names that select more.
    while (!this.#selectsAll && before !== this.#variables.size + this.#names.size) {
      before = this.#variables.size + this.#names.size;
      for (const text of this.#pendingTexts.splice(0)) this.#collectNames(text);
      this.#selectDefinitions();
    }
    return this.#selectsAll ? WHOLE_SCRIPT : this.#slice();
  }

  #slice(): ScriptSlice {
    const positions = [...this.#positions].sort((a, b) => a - b);
    const skipped = new Set(
      this.#contents.statements.filter(({ pos, end }) => {
        const at = firstAtLeast(positions, pos);
        return (positions[at] ?? end) >= end;
      }),
    );
    return {
      skips: (statement) => skipped.has(statement),
      needs: (variable) => this.#variables.has(variable),
    };
  }

  /** Selects the definitions of the names found so far. */
  #selectDefinitions(): void {
    const { assignments, loops, functions, commands } = this.#contents;
    const definitions = [
      ...assignments.filter(({ name }) => this.#variables.has(name)),
      ...loops.filter(({ name }) => name === '' || this.#variables.has(name)),
      ...functions.filter(({ name }) => this.#names.has(name)),
    ];
    for (const definition of definitions) this.selectDefinition(definition);
    const active = new Set(
      functions.filter((definition) => this.#containsSelection(definition)).map(({ name }) => name),
    );
    for (const command of commands) this.#selectRelatedCommand(command, active);
  }

  #selectRelatedCommand(command: CommandUse, active: ReadonlySet<string>): void {
    const { node, name, context } = command;
    if (name === null) return;
    const sets = VARIABLE_SETTERS.has(name) && this.#mentionsVariable(node.pos, node.end);
    if (sets) this.selectDefinition({ name: '', span: context.statement, context });
    if (sets || active.has(name)) this.selectCommand(command);
  }

  /** Whether a function contains a selected command. */
  #containsSelection({ span }: NameDefinition): boolean {
    for (const position of this.#positions) if (position > span.start && position < span.end) return true;
    return false;
  }

  #mentionsVariable(start: number, end: number): boolean {
    const words = this.#source.slice(start, end).match(/[A-Za-z_]\w*/g) ?? [];
    return words.some((word) => this.#variables.has(word));
  }

  selectDefinition({ span, context }: NameDefinition): void {
    this.#addPositions(span.start, context.anchors);
    this.#queueText(span);
  }

  #addPositions(position: number, anchors: readonly number[]): void {
    for (const at of [position, ...anchors]) this.#positions.add(at);
  }

  #queueText({ start, end }: SourceSpan): void {
    const key = `${start} ${end}`;
    if (this.#queued.has(key)) return;
    this.#queued.add(key);
    this.#pendingTexts.push(this.#source.slice(start, end));
  }

  /** Collects names from a text: a variable after a dollar sign, any other word as a function. */
  #collectNames(source: string): void {
    // A line that is only a comment is one in every context.
    const text = source.replace(/^[ \t]*#.*$/gm, '');
    if (DYNAMIC_NAMES.test(text)) this.#selectsAll = true;
    for (const [, name = ''] of text.matchAll(/\$\{?[#]?([A-Za-z_]\w*)/g)) this.#variables.add(name);
    for (const [name] of text.matchAll(/[A-Za-z_][\w-]*/g)) this.#names.add(name);
  }
}

function firstAtLeast(positions: readonly number[], value: number): number {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
