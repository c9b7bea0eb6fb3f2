import { resolve } from 'node:path';
import { NacreError } from '../../errors.ts';
import { describeValue, findNearestName, isRecord } from '../../validator.ts';
import type { BashOptions, ResolvedOptions } from './bash-options.ts';
import { checkMinimizer } from './minimizer-options.ts';
import { type DefaultContext, OPTION_TABLE, type OptionRow } from './option-table.ts';

/** The rows of one object, without their types. */
type Rows = Readonly<Record<string, OptionRow | { readonly group: Rows }>>;

const ROWS = OPTION_TABLE as unknown as Rows;

type Values = Readonly<Record<string, unknown>>;

/**
 * Checks the options of `createBash` and fills in the defaults.
 *
 * @throws {NacreError} `option_unknown`, `option_invalid`, `rule_invalid`
 */
export function resolveOptions(options: BashOptions = {}): ResolvedOptions {
  checkOptions(options);
  const env = options.inheritedEnv ?? process.env;
  const resolved = fillDefaults(ROWS, options as Values, { profile: options.profile ?? 'agent', env });
  // The table has a row for each option, so that every field is present.
  const filled = resolved as unknown as ResolvedOptions;
  checkMinimizer(filled.minimizer);
  return {
    ...filled,
    cwd: resolve(filled.cwd),
    stateDirectory: resolve(filled.stateDirectory),
    inheritedEnv: omitUndefined(env) as Readonly<Record<string, string>>,
  };
}

/** Rejects unknown options and invalid values. `undefined` counts as not given. */
export function checkOptions(options: unknown): asserts options is BashOptions {
  checkGroup('', ROWS, options);
}

function checkGroup(group: string, rows: Rows, value: unknown): void {
  if (!isRecord(value)) throw invalidOption(group || 'options', 'an object', value);
  for (const [name, entry] of Object.entries(value)) {
    const path = joinPath(group, name);
    // Own properties only, so that `constructor` is not found on the prototype.
    const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
    if (row === undefined) throw unknownOption(path, { group, name, known: Object.keys(rows) });
    if (entry === undefined) continue;
    if ('group' in row) checkGroup(path, row.group, entry);
    else checkValue(path, row, entry);
  }
}

function checkValue(path: string, { check }: OptionRow, value: unknown): void {
  if (!check.accepts(value)) throw invalidOption(path, check.expected, value);
  check.validate?.(value);
}

function fillDefaults(rows: Rows, given: Values, context: DefaultContext): Values {
  const entries = Object.entries(rows).map(([name, row]) => {
    const value = given[name];
    if ('group' in row) return [name, fillDefaults(row.group, (value ?? {}) as Values, context)];
    return [name, value === undefined ? defaultOf(row, context) : value];
  });
  return Object.fromEntries(entries);
}

/** The value of an option that is not set. */
export function defaultOf(row: OptionRow, context: DefaultContext): unknown {
  return typeof row.default === 'function' ? row.default(context) : row.default;
}

/** Every row of the option table with its path, such as `async.maxJobs`. */
export function listOptionRows(rows: Rows = ROWS, group = ''): readonly (readonly [string, OptionRow])[] {
  return Object.entries(rows).flatMap(([name, row]) => {
    const path = joinPath(group, name);
    return 'group' in row ? listOptionRows(row.group, path) : [[path, row] as const];
  });
}

function joinPath(group: string, name: string): string {
  return group === '' ? name : `${group}.${name}`;
}

function unknownOption(
  option: string,
  { group, name, known }: { group: string; name: string; known: readonly string[] },
): NacreError {
  const nearest = findNearestName(name, known);
  const hint = nearest === undefined ? '' : ` Did you mean '${joinPath(group, nearest)}'?`;
  return new NacreError('option_unknown', { option, hint });
}

function invalidOption(option: string, expected: string, value: unknown): NacreError {
  return new NacreError('option_invalid', { option, expected, received: describeValue(value) });
}

function omitUndefined(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
