import type { Call, Handler, Machine } from '../state/machine.ts';
import { toPart } from '../state/part.ts';
import { parseOptions } from '../unwrap/options.ts';
import { inside } from '../unwrap/unwrap.ts';
import { replace } from '../unwrap/xargs.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, toField, UNKNOWN } from '../words/atom.ts';
import { concat } from '../words/join.ts';
import { START, toPath } from '../words/path.ts';
import type { Action, Condition } from './expression.ts';
import { readExpression } from './expression.ts';

/** Everything below a directory. */
const BELOW: Field = [{ kind: 'glob', text: '*', deep: true }];

/** `find`: what `-delete` and `-exec` reach, and what it prints. */
export const find: Handler = (call, machine) => {
  const { starts, expression } = split(call.argv.slice(1));
  const actions = readExpression(expression);
  const fromBelow = expression.some((word) => literalOf(word) === '-mindepth');
  let printed: readonly Field[] | undefined;
  for (const action of actions) {
    const reached = starts.flatMap((start) =>
      action.when.flatMap((when) => reach({ start, when, fromBelow })),
    );
    machine.budget.spend(reached.length);
    if (action.kind === 'print') printed = [concat(...reached.flatMap((field) => [field, toField('\n')]))];
    else act({ action, reached, call }, machine);
  }
  const nul = expression.some((word) => literalOf(word) === '-print0');
  return nul
    ? printed?.map((text) =>
        text.map((atom) =>
          atom.kind === 'text' ? { ...atom, text: atom.text.replaceAll('\n', '\0') } : atom,
        ),
      )
    : printed;
};

/** `fd pattern path -x command`: what it finds is known only where the pattern takes everything. */
export const fd: Handler = (call, machine) => {
  const at = call.argv.findIndex((word) => /^(?:-x|-X|--exec|--exec-batch)$/.test(literalOf(word) ?? ''));
  if (at < 0) return undefined;
  const command = call.argv.slice(at + 1).filter((word) => literalOf(word) !== ';');
  const { options, operands } = parseOptions(call.argv.slice(1, at), { short: 'eEdjSoct', permute: true });
  const [pattern, ...paths] = operands;
  const name = (literalOf(pattern) ?? '?').replace(/^\^|\$$|\\/g, '');
  const filtered = options.some((option) =>
    /^[eEdSo]$|^(?:extension|size|changed|older|newer)/.test(option.name),
  );
  const all = (pattern === undefined || /^(?:\.|\.\*)?$/.test(name)) && !filtered;
  const found = all ? BELOW : name === '.git' ? toField(name) : UNKNOWN;
  const frame = inside(call.frame, 'fd --exec');
  const used = command.some((word) => word.some((atom) => atom.kind === 'text' && atom.text.includes('{}')));
  for (const path of paths.length === 0 ? [toField('.')] : paths) {
    const item = concat(path, toField('/'), found);
    const argv = command.map((word) => replace(word, '{}', item));
    machine.perform({ ...call, frame, argv: used ? argv : [...argv, item], plain: true });
  }
  return undefined;
};

function split(words: readonly Field[]): {
  readonly starts: readonly Field[];
  readonly expression: readonly Field[];
} {
  let at = 0;
  while (/^-(?:[HLP]|O\d?|D)$/.test(literalOf(words[at]) ?? '')) at += literalOf(words[at]) === '-D' ? 2 : 1;
  const end = words.findIndex((word, index) => index >= at && /^[-(!,)]/.test(literalOf(word) ?? ''));
  const starts = words.slice(at, end < 0 ? undefined : end);
  return {
    starts: starts.length === 0 ? [toField('.')] : starts,
    expression: end < 0 ? [] : words.slice(end),
  };
}

interface Reaching {
  readonly start: Field;
  readonly when: Condition;
  readonly fromBelow: boolean;
}

/** The paths an action gets, as words. */
function reach({ start, when, fromBelow }: Reaching): readonly Field[] {
  // Where a file of that name lies says nothing more about it.
  const names = when.names.map((name) => concat(UNKNOWN, toField('/'), name));
  if (names.length > 0) return names;
  // A filter by age or size says little about what is lost where everything is.
  const { base, names: steps } = toPath(start, START);
  const everything = !when.filtered || (steps.length === 0 && (base === 'root' || base === 'home'));
  const below = concat(start, toField('/'), everything ? BELOW : UNKNOWN);
  return when.filtered || when.filesOnly || fromBelow ? [below] : [start, below];
}

interface Acting {
  readonly action: Action;
  readonly reached: readonly Field[];
  readonly call: Call;
}

function act({ action, reached, call }: Acting, machine: Machine): void {
  if (action.kind === 'delete') {
    const frame = inside(call.frame, 'find -delete');
    const argv = [toField('rm'), toField('-r'), toField('--'), ...reached];
    machine.judge(toPart({ ...call, argv, frame }));
    return;
  }
  const frame = inside(call.frame, 'find -exec');
  for (const field of reached) {
    const argv = action.argv.map((word) => replace(word, '{}', field));
    machine.perform({ ...call, frame, argv, plain: true });
  }
}
