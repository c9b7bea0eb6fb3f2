import type { Assignment, Command, CommandArgument, Word } from 'unbash';

/**
 * The parser ends `x=<(…)` at the equals sign and takes the substitution for the name of the command; for bash it is the value,
 * and the command is what follows.
 */
export function repairAssignment(node: Command): Command {
  const { name, prefix } = node;
  const last = prefix.at(-1);
  if (name === undefined || last?.type !== 'Assignment' || !continues(last, name)) return node;
  // Not spread: what the parser gives has its fields elsewhere.
  const { type, pos, text, name: variable } = last;
  const assignments: Assignment[] = [
    { type, pos, end: name.end, text, name: variable, value: name, append: last.append, index: last.index },
  ];
  const rest: CommandArgument[] = [...node.args];
  for (let next = rest[0]; next !== undefined && isAssignment(next); next = rest[0]) {
    if (next.type === 'Assignment') assignments.push(next);
    rest.shift();
  }
  const [word] = rest;
  return {
    type: 'Command',
    pos: node.pos,
    end: node.end,
    name: word?.type === 'Word' ? word : undefined,
    prefix: [...prefix.slice(0, -1), ...assignments],
    suffix: node.suffix,
    args: rest.slice(1),
    redirects: node.redirects,
  };
}

function continues({ value, end }: Assignment, name: Word): boolean {
  return value.type === 'Word' && value.text === '' && end === name.pos && /^[<>]\(/.test(name.text);
}

function isAssignment(item: CommandArgument): boolean {
  return item.type === 'Assignment' || /^[A-Za-z_]\w*\+?=/.test(item.text);
}
