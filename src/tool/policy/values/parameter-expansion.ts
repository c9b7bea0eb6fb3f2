import type { ParameterDefaultOperation, ParameterExpansionPart, ParameterOperation, Word } from 'unbash';
import { ownProperty } from '../../../engine/text/own-property.ts';
import { loadUnbash } from '../../syntax/parse-script.ts';
import type { EvaluationFrame, HandlerContext } from './command-evaluation.ts';
import {
  type Atom,
  changeLetterCase,
  concatFields,
  type Field,
  joinFields,
  symbolicField,
  toField,
  toLiteral,
  toSubstitutionScript,
  UNKNOWN_FIELD,
} from './field.ts';
import { fromFieldPath, START_PATH } from './field-path.ts';
import { matchesShellPattern, type ShellPattern, toShellPattern } from './field-pattern.ts';
import { getElement, isArrayValue, toArrayValue, toElements, type VariableValue } from './script-state.ts';
import type { ValueChoices } from './value-choices.ts';

/** The parts of a word expander that parameter expansion needs. */
export interface ExpansionContext {
  readonly context: HandlerContext;
  readonly frame: EvaluationFrame;
  readonly choices: ValueChoices;
  readonly ifs: string;
  single(word: Word, purpose?: 'assignment' | 'text'): Field;
  pattern(word: Word): Field;
}

/** The context of an expansion inside its word. */
interface ExpansionUse {
  readonly expander: ExpansionContext;
  readonly quoted: boolean;
}

/**
 * Returns the value of a variable in the current combination; a variable that the script did not set is
 * unknown.
 */
function lookUpVariable(name: string, expander: ExpansionContext): VariableValue {
  const { frame, choices } = expander;
  const variable = frame.state.get('variable', name);
  if (variable === undefined) return initialValue(name, expander);
  if (variable.target !== undefined && variable.target !== name)
    return lookUpVariable(variable.target, expander);
  const { options } = variable;
  if (choices.combinesAll && options.length > 1) return allValues(options, choices);
  return options[choices.pick(`$${name}`, options.length)] ?? UNKNOWN_FIELD;
}

function allValues(options: readonly VariableValue[], choices: ValueChoices): VariableValue {
  if (options.some(isArrayValue)) return toArrayValue(options.flatMap(toElements));
  return choices.all(options.flatMap(toElements));
}

/** Returns the value of `$name`; for an array, its first element. */
function lookUpField(name: string, expander: ExpansionContext): Field {
  return getElement(lookUpVariable(name, expander), '0');
}

const INITIAL_VARIABLES: Readonly<Record<string, Field>> = {
  HOME: symbolicField('home'),
  USER: symbolicField('user'),
  LOGNAME: symbolicField('user'),
  SHELL: toField('/bin/bash'),
  BASH: toField('/bin/bash'),
  IFS: toField(' \t\n'),
  PATH: [{ kind: 'text', text: '/' }, { kind: 'unknown' }],
};

function initialValue(name: string, { frame, choices }: ExpansionContext): Field {
  if (name === 'PWD') {
    const { cwd } = frame.state;
    return choices.field('PWD', (cwd.length === 0 ? [START_PATH] : cwd).map(fromFieldPath));
  }
  const { cwd, cwdBefore } = frame.state;
  if (name === 'OLDPWD' && cwdBefore !== cwd) return choices.field('OLDPWD', cwdBefore.map(fromFieldPath));
  return ownProperty(INITIAL_VARIABLES, name) ?? UNKNOWN_FIELD;
}

/** Expands `$1`, `$#`, `$0` and similar; `null` for variable names. */
function expandSpecialParameter(name: string, expander: ExpansionContext): Field | null {
  const { frame, choices } = expander;
  const list = frame.state.positional;
  if (/^[1-9]\d*$/.test(name)) {
    return list === null ? UNKNOWN_FIELD : choices.field(`$${name}`, list[Number(name) - 1] ?? []);
  }
  if (name === '#') return list === null ? UNKNOWN_FIELD : toField(String(list.length));
  if (name === '0')
    return (frame.state.get('variable', '0')?.options[0] as Field | undefined) ?? toField('bash');
  return /^[?$!_-]$/.test(name) ? UNKNOWN_FIELD : null;
}

/** Whether a field consists of one unknown value, which may be empty. */
export function isUnknownField(field: Field): boolean {
  return field.length === 1 && field[0]?.kind === 'unknown';
}

/** Parses a field as an integer; `null` when it is none. */
function toInteger(field: Field): number | null {
  const text = toLiteral(field)?.trim() ?? '';
  return /^[+-]?\d{1,9}$/.test(text) ? Number(text) : null;
}

// Longer values become unknown because the matching takes quadratic time.
const MAX_RESHAPED_LENGTH = 2_000;

/** Applies `${x#pattern}`, `##`, `%` or `%%`. */
function removeMatch(field: Field, { operator, pattern }: { operator: string; pattern: Field }): Field {
  const compiled = toShellPattern(pattern);
  const text = toLiteral(field);
  if (compiled === null) return UNKNOWN_FIELD;
  if (text === null) return removeFromEnds(field, operator, compiled);
  if (text.length > MAX_RESHAPED_LENGTH) return UNKNOWN_FIELD;
  return toField(
    operator.startsWith('#')
      ? removePrefix(text, operator, compiled)
      : removeSuffix(text, operator, compiled),
  );
}

function removePrefix(text: string, operator: string, pattern: ShellPattern): string {
  const lengths = Array.from({ length: text.length + 1 }, (_, length) => length);
  if (operator === '##') lengths.reverse();
  const length = lengths.find((end) => matchesShellPattern(pattern, text.slice(0, end)));
  return length === undefined ? text : text.slice(length);
}

function removeSuffix(text: string, operator: string, pattern: ShellPattern): string {
  const starts = Array.from({ length: text.length + 1 }, (_, index) => text.length - index);
  if (operator === '%%') starts.reverse();
  const start = starts.find((at) => matchesShellPattern(pattern, text.slice(at)));
  return start === undefined ? text : text.slice(0, start);
}

/** Matches only the known text at one end of a field whose middle is unknown. */
function removeFromEnds(field: Field, operator: string, pattern: ShellPattern): Field {
  const [first] = field;
  const last = field.at(-1);
  if (operator === '%' && last?.kind === 'text') {
    const shorter = removeSuffix(last.text, operator, pattern);
    if (shorter !== last.text) return concatFields(field.slice(0, -1), toField(shorter));
  }
  if (operator === '#' && first?.kind === 'text') {
    const shorter = removePrefix(first.text, operator, pattern);
    if (shorter !== first.text) return concatFields(toField(shorter), field.slice(1));
  }
  // `${HOME%/*}` is the parent directory.
  if (operator === '%' && last?.kind === 'symbol' && matchesShellPattern(pattern, '/x'))
    return concatFields(field, toField('/..'));
  return matchesShellPattern(pattern, '/') && operator.startsWith('%') ? field : UNKNOWN_FIELD;
}

interface Replacement {
  readonly operator: string;
  readonly pattern: Field;
  readonly replacement: Field;
}

/** Applies `${x/a/b}` for literal patterns and patterns of single characters. */
function replaceMatch(field: Field, { operator, pattern, replacement }: Replacement): Field {
  const text = toLiteral(field);
  const what = toLiteral(pattern);
  const by = toLiteral(replacement);
  if (text === null || by === null) return UNKNOWN_FIELD;
  if (what === null) return replacePattern(text, { operator, pattern, by });
  if (what === '') return field;
  if (operator === '/#') return toField(text.startsWith(what) ? by + text.slice(what.length) : text);
  if (operator === '/%') return toField(text.endsWith(what) ? text.slice(0, -what.length) + by : text);
  return toField(operator === '//' ? text.replaceAll(what, () => by) : text.replace(what, () => by));
}

interface PatternReplacement {
  readonly operator: string;
  readonly pattern: Field;
  readonly by: string;
}

function replacePattern(text: string, { operator, pattern, by }: PatternReplacement): Field {
  const compiled = toShellPattern(pattern);
  if (compiled === null || text.length > MAX_RESHAPED_LENGTH || (operator.length > 1 && operator !== '//'))
    return UNKNOWN_FIELD;
  let result = '';
  for (let at = 0; at < text.length; ) {
    const length = longestMatch(text, { at, pattern: compiled });
    if (length === 0) {
      result += text.charAt(at);
      at += 1;
      continue;
    }
    result += by;
    at += length;
    if (operator === '/') return toField(result + text.slice(at));
  }
  return toField(result);
}

function longestMatch(text: string, { at, pattern }: { at: number; pattern: ShellPattern }): number {
  const single = !pattern.includes('star');
  if (single) return matchesShellPattern(pattern, text.slice(at, at + pattern.length)) ? pattern.length : 0;
  for (let end = text.length; end > at; end -= 1)
    if (matchesShellPattern(pattern, text.slice(at, end))) return end - at;
  return 0;
}

interface Bounds {
  readonly offset: number | null;
  readonly length: number | null | undefined;
}

/** Applies `${x:1:2}`. A symbolic directory starts with a slash even when the rest is unknown. */
function sliceText(field: Field, { offset, length }: Bounds): Field {
  const text = toLiteral(field);
  if (offset === null || length === null) return UNKNOWN_FIELD;
  if (text === null) return sliceHead(field, { offset, length });
  const start = Math.max(0, offset < 0 ? text.length + offset : offset);
  if (length === undefined) return toField(text.slice(start));
  return toField(length < 0 ? text.slice(start, length) : text.slice(start, start + length));
}

function sliceHead(field: Field, { offset, length }: Bounds): Field {
  const [first, ...rest] = field;
  const start = offset ?? -1;
  const head = knownHead(first);
  if (start === 0 && length === undefined) return field;
  if (start < 0 || start > head.length) return UNKNOWN_FIELD;
  if (length === undefined)
    return first?.kind === 'text' ? concatFields(toField(head.slice(start)), rest) : UNKNOWN_FIELD;
  const end = start + (length ?? -1);
  return end >= start && end <= head.length ? toField(head.slice(start, end)) : UNKNOWN_FIELD;
}

function knownHead(first: Atom | undefined): string {
  if (first?.kind === 'text') return first.text;
  return first?.kind === 'symbol' && first.value !== 'user' ? '/' : '';
}

interface DefaultExpansion {
  readonly field: Field;
  readonly name: string;
  readonly operation: ParameterDefaultOperation;
}

/** Applies `${x:-y}`, `:=`, `:+` or `:?`. For an unknown value both outcomes are evaluated. */
function expandDefault({ field, name, operation }: DefaultExpansion, expander: ExpansionContext): Field {
  const { operator, operand } = operation;
  if (expander.choices.combinesAll && isUnknownField(field) && !operator.endsWith('?'))
    return expander.choices.all([operator.endsWith('+') ? [] : field, expander.single(operand)]);
  const isSet = isUnknownField(field)
    ? expander.choices.pick(`${name} is set`, 2) === 0
    : field.length > 0 || !operator.startsWith(':');
  if (operator.endsWith('?')) return field;
  if (operator.endsWith('+')) return isSet ? expander.single(operand) : [];
  if (isSet) return field;
  const value = expander.single(operand);
  if (operator.endsWith('=')) expander.frame.state.set('variable', name, { options: [value] });
  return value;
}

/** Applies `${x@P}` and the other `@` operators. */
function expandTransform(field: Field, operator: string, expander: ExpansionContext): Field {
  if (operator === 'P') {
    // Bash expands the value like a prompt and runs its substitutions.
    expander.context.runTexts([toSubstitutionScript(field)], expander.frame);
    return field;
  }
  if (operator === 'U') return changeLetterCase(field, '^^');
  if (operator === 'L') return changeLetterCase(field, ',,');
  if (operator === 'u') return changeLetterCase(field, '^');
  const text = toLiteral(field);
  if (text === null) return UNKNOWN_FIELD;
  if (operator === 'E') return toField(decodeAnsiEscapes(text));
  return operator === 'Q' ? toField(`'${text.replaceAll("'", "'\\''")}'`) : UNKNOWN_FIELD;
}

/** Decodes the escapes of `$'…'`. */
export function decodeAnsiEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  const [statement] = loadUnbash().parse(`$'${text.replaceAll("'", "\\'")}'`).commands;
  return statement?.command.type === 'Command' ? (statement.command.name?.value ?? text) : text;
}

/** Expands `$name`, `$1` or `$@`. */
export function expandSimple(name: string, use: ExpansionUse): readonly Field[] {
  if (name === '@' || name === '*')
    return spreadList({ fields: allPositional(use.expander), star: name === '*' }, use);
  return [expandSpecialParameter(name, use.expander) ?? lookUpField(name, use.expander)];
}

/** Expands `${name…}` in all its forms. */
export function expandParameter(part: ParameterExpansionPart, use: ExpansionUse): readonly Field[] {
  const { expander } = use;
  if (part.prefix === '#') return [expandLength(part, expander)];
  if (part.prefix === '!') return expandIndirect(part, use);
  const list = toExpandedList(part, expander);
  if (list === null) return [applyOperation(toScalar(part, expander), part, expander)];
  const { operation } = part;
  if (operation?.type === 'Slice')
    return spreadList({ ...list, fields: sliceList(list.fields, part, expander) }, use);
  const fields =
    operation === undefined ? list.fields : list.fields.map((field) => applyOperation(field, part, expander));
  return spreadList({ ...list, fields }, use);
}

interface ExpandedList {
  readonly fields: readonly Field[];
  /** A quoted `*` joins its elements, `@` keeps them separate. */
  readonly star: boolean;
}

function spreadList({ fields, star }: ExpandedList, { expander, quoted }: ExpansionUse): readonly Field[] {
  if (!star || !quoted) return fields;
  return [joinFields(fields, toField(expander.ifs.slice(0, 1)))];
}

function allPositional({ frame, choices }: ExpansionContext): readonly Field[] {
  const list = frame.state.positional;
  return list?.map((options, index) => choices.field(`$${index + 1}`, options)) ?? [UNKNOWN_FIELD];
}

function toExpandedList(part: ParameterExpansionPart, expander: ExpansionContext): ExpandedList | null {
  const { parameter, index } = part;
  if (parameter === '@' || parameter === '*')
    return { fields: allPositional(expander), star: parameter === '*' };
  if (index?.text !== '@' && index?.text !== '*') return null;
  return { fields: toElements(lookUpVariable(parameter, expander)), star: index.text === '*' };
}

function toScalar({ parameter, index }: ParameterExpansionPart, expander: ExpansionContext): Field {
  if (index === undefined)
    return expandSpecialParameter(parameter, expander) ?? lookUpField(parameter, expander);
  const key = toLiteral(expander.single(index, 'text'));
  const value = lookUpVariable(parameter, expander);
  if (key === null) return UNKNOWN_FIELD;
  if (isAssociative(value)) return getElement(value, key);
  const number = /^-?\d+$/.test(key) ? key : toLiteral(lookUpField(key, expander));
  if (number !== null && /^-?\d+$/.test(number)) {
    const element = getElement(value, number);
    // One unknown element may stand for a list of unknown length.
    return element.length === 0 && toElements(value).some(isUnknownField) ? UNKNOWN_FIELD : element;
  }
  // `${x[i+1]}`: the expression is not calculated, so each element is possible.
  return expander.choices.field(`${parameter}[${key}]`, toElements(value));
}

function isAssociative(value: VariableValue): boolean {
  return isArrayValue(value) && [...value.items.keys()].some((key) => !/^\d+$/.test(key));
}

function expandLength(part: ParameterExpansionPart, expander: ExpansionContext): Field {
  const list = toExpandedList(part, expander);
  if (list !== null)
    return list.fields.includes(UNKNOWN_FIELD) ? UNKNOWN_FIELD : toField(String(list.fields.length));
  const text = toLiteral(toScalar(part, expander));
  return text === null ? UNKNOWN_FIELD : toField(String(text.length));
}

function expandIndirect(part: ParameterExpansionPart, use: ExpansionUse): readonly Field[] {
  const { expander } = use;
  if (part.operation?.type === 'Names') return [UNKNOWN_FIELD];
  if (part.index?.text === '@' || part.index?.text === '*') {
    const value = lookUpVariable(part.parameter, expander);
    return isArrayValue(value) ? [...value.items.keys()].map(toField) : [UNKNOWN_FIELD];
  }
  const name = toLiteral(toScalar(part, expander));
  const element = /^(\w+)\[([@*]|\w+)\]$/.exec(name ?? '');
  if (element?.[1] !== undefined) return toElements(lookUpVariable(element[1], expander));
  const [field = UNKNOWN_FIELD, ...others] = name === null ? [UNKNOWN_FIELD] : expandSimple(name, use);
  return [applyOperation(field, part, expander), ...others];
}

function applyOperation(field: Field, part: ParameterExpansionPart, expander: ExpansionContext): Field {
  const { operation } = part;
  if (operation === undefined) return field;
  switch (operation.type) {
    case 'Default':
      return expandDefault({ field, name: part.parameter, operation }, expander);
    case 'Remove':
      return removeMatch(field, {
        operator: operation.operator,
        pattern: expander.pattern(operation.operand),
      });
    case 'Replace':
      return applyReplacement(field, operation, expander);
    case 'Slice':
      return sliceText(field, toBounds(operation, expander));
    case 'CaseModification':
      return changeLetterCase(field, operation.operator);
    case 'Transform':
      return expandTransform(field, operation.operand.text, expander);
    default:
      return UNKNOWN_FIELD;
  }
}

function applyReplacement(
  field: Field,
  operation: Extract<ParameterOperation, { type: 'Replace' }>,
  expander: ExpansionContext,
): Field {
  const pattern = expander.pattern(operation.pattern);
  const replacement = expander.single(operation.replacement, 'text');
  return replaceMatch(field, { operator: operation.operator, pattern, replacement });
}

function toBounds(
  operation: Extract<ParameterOperation, { type: 'Slice' }>,
  expander: ExpansionContext,
): { readonly offset: number | null; readonly length: number | null | undefined } {
  return {
    offset: toInteger(expander.single(operation.offset, 'text')),
    length: operation.length && toInteger(expander.single(operation.length, 'text')),
  };
}

function sliceList(
  fields: readonly Field[],
  part: ParameterExpansionPart,
  expander: ExpansionContext,
): readonly Field[] {
  if (part.operation?.type !== 'Slice') return fields;
  const { offset, length } = toBounds(part.operation, expander);
  if (offset === null || length === null) return [UNKNOWN_FIELD];
  const isPositional = part.parameter === '@' || part.parameter === '*';
  const all = isPositional ? [toField('bash'), ...fields] : fields;
  const start = offset < 0 ? all.length + offset : offset;
  return all.slice(start, length === undefined ? undefined : start + length);
}
