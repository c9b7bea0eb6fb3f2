import type { Field } from '../words/atom.ts';
import { literalOf } from '../words/atom.ts';
import { START, toPath } from '../words/path.ts';
import { couldBeNamed } from '../words/pattern.ts';
import type { Call, Part } from './machine.ts';
import { uniteCwd } from './state.ts';

/** Programs that are recognised even when a pattern stands for their name. */
const BY_PATTERN = ['rm', 'git', 'find', 'bash', 'sh', 'sudo', 'env', 'xargs'];

/** The program a word runs, without its directory: `/bin/rm` and `/???/r?` are `rm`. */
export function programName(field: Field): string | null {
  const text = literalOf(field);
  if (text !== null) return text.slice(text.lastIndexOf('/') + 1);
  const last = toPath(field, START).names.at(-1);
  if (last === undefined) return null;
  const name = literalOf(last);
  if (name !== null) return name;
  if (!last.every(({ kind }) => kind === 'text' || kind === 'glob')) return null;
  return BY_PATTERN.find((program) => couldBeNamed(last, program)) ?? null;
}

/** A call as rules see it. */
export function toPart({ argv, frame, assigned, writes }: Call): Part {
  const [first = []] = argv;
  return {
    name: programName(first),
    argv,
    via: frame.via,
    span: frame.span,
    cwd:
      frame.state.cwdUnlooked.length === 0
        ? frame.state.cwd
        : uniteCwd([frame.state.cwd, frame.state.cwdUnlooked]),
    stdin: frame.stdin,
    piped: frame.piped,
    outer: frame.outer,
    assigned,
    writes,
  };
}
