import { wordList } from '../../../engine/text/word-list.ts';
import { parseProgramOptions } from '../unwrap/program-options.ts';
import { enterFrame } from '../unwrap/unwrap-command.ts';
import { replacePlaceholder } from '../unwrap/xargs.ts';
import {
  type CommandHandler,
  type EvaluatedCall,
  type HandlerContext,
  toCommandPart,
} from '../values/command-evaluation.ts';
import { concatFields, type Field, toField, toLiteral, UNKNOWN_FIELD } from '../values/field.ts';
import { toGlobField } from '../values/field-builder.ts';
import { START_PATH, toFieldPath } from '../values/field-path.ts';
import { isBroadPattern } from '../values/field-pattern.ts';

/** The condition under which an action applies to a file. */
interface FindCondition {
  /** Alternative patterns for the name or the end of the path. */
  readonly names: readonly Field[];
  /** Whether other properties than the name are tested. */
  readonly filtered: boolean;
  /** Whether directories are excluded. */
  readonly filesOnly: boolean;
}

/** An action of a `find` expression with the conditions under which it applies. */
interface FindAction {
  readonly kind: 'delete' | 'exec' | 'print';
  readonly argv: readonly Field[];
  /** Alternative conditions. */
  readonly when: readonly FindCondition[];
}

const ANY_FILE: FindCondition = { names: [], filtered: false, filesOnly: false };

// More alternatives are replaced by a condition that matches every file.
const MAX_ALTERNATIVES = 64;

const NAME_TESTS = new Set(['-name', '-iname', '-path', '-ipath', '-wholename', '-iwholename']);
const FILTERS_WITH_VALUE = new Set(
  wordList(`
  -regex -iregex -lname -ilname -mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -size -user
  -group -uid -gid -perm -links -inum -samefile -fstype -used -xtype -context
`),
);
const FILTERS = new Set(['-empty', '-nouser', '-nogroup', '-false']);
const WITH_VALUE = new Set(
  wordList('-maxdepth -mindepth -printf -regextype -files0-from -fls -fprint -fprint0'),
);

/** Parses a `find` expression and returns its actions with their conditions. */
function parseFindExpression(words: readonly Field[]): readonly FindAction[] {
  const reader = new FindExpressionParser(words);
  reader.or([ANY_FILE]);
  if (!reader.actions.some(({ kind }) => kind !== 'print'))
    return [{ kind: 'print', argv: [], when: reader.matched.length === 0 ? [ANY_FILE] : reader.matched }];
  return reader.actions;
}

class FindExpressionParser {
  readonly actions: FindAction[] = [];
  matched: readonly FindCondition[] = [];
  readonly #words: readonly Field[];
  #at = 0;

  constructor(words: readonly Field[]) {
    this.#words = words;
  }

  /** Returns the conditions under which the expression is true. */
  or(given: readonly FindCondition[]): readonly FindCondition[] {
    const all: FindCondition[] = [];
    do all.push(...this.#and(given));
    while (this.#take('-o', '-or', ','));
    this.matched = all;
    return all.length > MAX_ALTERNATIVES ? [ANY_FILE] : all;
  }

  #and(given: readonly FindCondition[]): readonly FindCondition[] {
    let conditions = given;
    for (let word = this.#peek(); word !== undefined && !this.#ends(word); word = this.#peek()) {
      if (!this.#take('-a', '-and')) conditions = this.#primary(conditions);
    }
    return conditions;
  }

  #primary(given: readonly FindCondition[]): readonly FindCondition[] {
    if (this.#take('!', '-not')) {
      // A negated test does not restrict the condition.
      this.#primary([ANY_FILE]);
      return given;
    }
    if (this.#take('(')) {
      const inner = this.or(given);
      this.#take(')');
      return inner;
    }
    const word = this.#next();
    return this.#test(toLiteral(word) ?? '', given);
  }

  #test(name: string, given: readonly FindCondition[]): readonly FindCondition[] {
    if (NAME_TESTS.has(name)) return this.#named(given);
    if (FILTERS_WITH_VALUE.has(name) || /^-newer../.test(name)) return this.#filtered(given, 1);
    if (FILTERS.has(name)) return this.#filtered(given, 0);
    if (name === '-type') return this.#typed(given);
    if (WITH_VALUE.has(name)) this.#next();
    this.#action(name, given);
    return given;
  }

  #named(given: readonly FindCondition[]): readonly FindCondition[] {
    const word = this.#next();
    return given.map((condition) => withName(condition, word));
  }

  #filtered(given: readonly FindCondition[], values: number): readonly FindCondition[] {
    if (values > 0) this.#next();
    return given.map((condition) => ({ ...condition, filtered: true }));
  }

  #typed(given: readonly FindCondition[]): readonly FindCondition[] {
    const type = toLiteral(this.#next()) ?? '';
    if (type === 'd') return given;
    return given.map((condition) => ({
      ...condition,
      filesOnly: true,
      filtered: condition.filtered || !type.includes('f'),
    }));
  }

  #action(name: string, when: readonly FindCondition[]): void {
    if (name === '-delete') this.actions.push({ kind: 'delete', argv: [], when });
    if (/^-print0?$/.test(name)) this.actions.push({ kind: 'print', argv: [], when });
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(name)) return;
    const argv: Field[] = [];
    for (let word = this.#next(); word !== undefined; word = this.#next()) {
      const text = toLiteral(word);
      if (text === ';' || (text === '+' && toLiteral(argv.at(-1)) === '{}')) break;
      argv.push(word);
    }
    this.actions.push({ kind: 'exec', argv, when });
  }

  #ends(word: Field): boolean {
    return ['-o', '-or', ',', ')'].includes(toLiteral(word) ?? '');
  }

  #peek(): Field | undefined {
    return this.#words[this.#at];
  }

  #next(): Field | undefined {
    this.#at += 1;
    return this.#words[this.#at - 1];
  }

  #take(...texts: readonly string[]): boolean {
    const word = this.#peek();
    if (word === undefined || !texts.includes(toLiteral(word) ?? '\0')) return false;
    this.#at += 1;
    return true;
  }
}

/** Adds a name pattern: quoted for the shell, active for find. */
function withName(condition: FindCondition, word: Field | undefined): FindCondition {
  if (word === undefined) return condition;
  const text = toLiteral(word);
  const pattern = text === null ? word : toGlobField(text);
  return isBroadPattern(pattern) ? condition : { ...condition, names: [...condition.names, pattern] };
}

const EVERYTHING_BELOW: Field = [{ kind: 'glob', text: '*', deep: true }];

/** Evaluates `find`: the paths that `-delete` and `-exec` receive, and its output. */
export const handleFind: CommandHandler = (call, context) => {
  const { starts, expression } = splitFindWords(call.argv.slice(1));
  const actions = parseFindExpression(expression);
  const fromBelow = expression.some((word) => toLiteral(word) === '-mindepth');
  let printed: readonly Field[] | undefined;
  for (const action of actions) {
    const reached = starts.flatMap((start) =>
      action.when.flatMap((when) => toReachedPaths({ start, when, fromBelow })),
    );
    context.budget.spend(reached.length);
    if (action.kind === 'print')
      printed = [concatFields(...reached.flatMap((field) => [field, toField('\n')]))];
    else performAction({ action, reached, call }, context);
  }
  const nul = expression.some((word) => toLiteral(word) === '-print0');
  return nul
    ? printed?.map((text) =>
        text.map((atom) =>
          atom.kind === 'text' ? { ...atom, text: atom.text.replaceAll('\n', '\0') } : atom,
        ),
      )
    : printed;
};

/** Evaluates `fd pattern path -x command`; the matches are known only when the pattern matches everything. */
export const handleFd: CommandHandler = (call, context) => {
  const at = call.argv.findIndex((word) => /^(?:-x|-X|--exec|--exec-batch)$/.test(toLiteral(word) ?? ''));
  if (at < 0) return undefined;
  const command = call.argv.slice(at + 1).filter((word) => toLiteral(word) !== ';');
  const { options, operands } = parseProgramOptions(call.argv.slice(1, at), {
    short: 'eEdjSoct',
    permute: true,
  });
  const [pattern, ...paths] = operands;
  const name = (toLiteral(pattern) ?? '?').replace(/^\^|\$$|\\/g, '');
  const filtered = options.some((option) =>
    /^[eEdSo]$|^(?:extension|size|changed|older|newer)/.test(option.name),
  );
  const all = (pattern === undefined || /^(?:\.|\.\*)?$/.test(name)) && !filtered;
  const found = all ? EVERYTHING_BELOW : name === '.git' ? toField(name) : UNKNOWN_FIELD;
  const frame = enterFrame(call.frame, 'fd --exec');
  const used = command.some((word) => word.some((atom) => atom.kind === 'text' && atom.text.includes('{}')));
  for (const path of paths.length === 0 ? [toField('.')] : paths) {
    const item = concatFields(path, toField('/'), found);
    const argv = command.map((word) => replacePlaceholder(word, '{}', item));
    context.perform({ ...call, frame, argv: used ? argv : [...argv, item], plain: true });
  }
  return undefined;
};

function splitFindWords(words: readonly Field[]): {
  readonly starts: readonly Field[];
  readonly expression: readonly Field[];
} {
  let at = 0;
  while (/^-(?:[HLP]|O\d?|D)$/.test(toLiteral(words[at]) ?? '')) at += toLiteral(words[at]) === '-D' ? 2 : 1;
  const end = words.findIndex((word, index) => index >= at && /^[-(!,)]/.test(toLiteral(word) ?? ''));
  const starts = words.slice(at, end < 0 ? undefined : end);
  return {
    starts: starts.length === 0 ? [toField('.')] : starts,
    expression: end < 0 ? [] : words.slice(end),
  };
}

interface ReachInput {
  readonly start: Field;
  readonly when: FindCondition;
  readonly fromBelow: boolean;
}

/** Returns the paths that an action receives. */
function toReachedPaths({ start, when, fromBelow }: ReachInput): readonly Field[] {
  // A file with a matching name may be in any directory below the start.
  const names = when.names.map((name) => concatFields(UNKNOWN_FIELD, toField('/'), name));
  if (names.length > 0) return names;
  // In the root or home directory, a filter by age or size still covers nearly everything.
  const { base, names: steps } = toFieldPath(start, START_PATH);
  const everything = !when.filtered || (steps.length === 0 && (base === 'root' || base === 'home'));
  const below = concatFields(start, toField('/'), everything ? EVERYTHING_BELOW : UNKNOWN_FIELD);
  return when.filtered || when.filesOnly || fromBelow ? [below] : [start, below];
}

interface ActionInput {
  readonly action: FindAction;
  readonly reached: readonly Field[];
  readonly call: EvaluatedCall;
}

function performAction({ action, reached, call }: ActionInput, context: HandlerContext): void {
  if (action.kind === 'delete') {
    const frame = enterFrame(call.frame, 'find -delete');
    const argv = [toField('rm'), toField('-r'), toField('--'), ...reached];
    context.reportPart(toCommandPart({ ...call, argv, frame }));
    return;
  }
  const frame = enterFrame(call.frame, 'find -exec');
  for (const field of reached) {
    const argv = action.argv.map((word) => replacePlaceholder(word, '{}', field));
    context.perform({ ...call, frame, argv, plain: true });
  }
}
