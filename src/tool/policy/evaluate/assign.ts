import type { ArrayValue as ArrayNode, Assignment, Word } from 'unbash';
import type { Expander } from '../expand/expand.ts';
import { put, setVariable } from '../state/assign-value.ts';
import type { Frame } from '../state/machine.ts';
import type { Value } from '../state/value.ts';
import { toArray } from '../state/value.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, toField, UNKNOWN } from '../words/atom.ts';
import type { Runner } from './runner.ts';
import { everyWay } from './runner.ts';

/** Performs an assignment in the shell of the frame. */
export function assign(assignment: Assignment, frame: Frame, runner: Runner): void {
  if (!runner.slice.needs(assignment.name)) {
    runner.visit(assignment, frame);
    return;
  }
  const added = everyWay({ frame, evaluate: (expander) => assignedValue(assignment, expander) }, runner);
  runner.budget.spend(added.length);
  setVariable(frame.state, assignment.name, { values: added, append: assignment.append === true });
}

function assignedValue({ value, index, name }: Assignment, expander: Expander): Value {
  if (value.type === 'ArrayValue') return arrayValue(value, expander);
  const field = expander.single(value);
  if (index === undefined) return field;
  const key = literalOf(expander.single(index, 'text'));
  const old = expander.frame.state.get('variable', name)?.options[0] ?? toArray([]);
  return key === null ? old : put(old, { items: new Map([[key, field]]) });
}

function arrayValue({ elements }: ArrayNode, expander: Expander): Value {
  const items = new Map<string, Field>();
  for (const element of elements) {
    const [prefix, key = ''] = /^\[([^\]]*)\]=/.exec(element.text) ?? [];
    if (prefix !== undefined) items.set(unquote(key), keyedField(element, prefix, expander));
    else for (const field of expander.fields(element)) items.set(String(items.size), field);
  }
  return { items };
}

/** `[key]=value` is one word: what comes before the value is taken off. */
function keyedField(element: Word, prefix: string, expander: Expander): Field {
  const text = literalOf(expander.single(element));
  return text === null ? UNKNOWN : toField(text.slice(unquote(prefix).length));
}

function unquote(text: string): string {
  return text.replace(/['"\\]/g, '');
}
