import type { Handler } from '../state/machine.ts';
import { parseOptions } from '../unwrap/options.ts';
import { inside, runApart } from '../unwrap/unwrap.ts';
import { literalOf, toField } from '../words/atom.ts';

const COMMAND =
  /(?:^|[;{}\n])\s*(?:\d+|\$|\/(?:[^/\\]|\\.)*\/)?(?:,(?:\d+|\$|\/(?:[^/\\]|\\.)*\/))?!?\s*e\s+([^\n]+)/g;
const SUBSTITUTE = /s([^\w\s\\])(?:(?!\1)[^\\]|\\.)*\1((?:(?!\1)[^\\]|\\.)*)\1[a-zA-Z0-9]*e/g;

/** GNU sed runs what follows `e`, and what `s///e` makes. */
export const sedRuns: Handler = ({ argv, frame }, machine) => {
  const { options, operands } = parseOptions(argv.slice(1), {
    short: 'efl',
    long: ['expression=', 'file=', 'line-length='],
  });
  const given = options.flatMap(({ name, value }) =>
    /^(?:e|expression)$/.test(name) && value ? [value] : [],
  );
  for (const field of given.length > 0 ? given : operands.slice(0, 1)) {
    const script = literalOf(field) ?? '';
    const commands = [
      ...[...script.matchAll(COMMAND)].map((match) => match[1] ?? ''),
      ...[...script.matchAll(SUBSTITUTE)].map((match) => match[2] ?? ''),
    ];
    for (const command of commands) runApart([toField(command)], inside(frame, 'sed e'), machine);
  }
  return undefined;
};
