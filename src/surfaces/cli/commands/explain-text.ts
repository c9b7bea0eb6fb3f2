import type { ExplainedPart, Explanation } from '../../../index.ts';
import { markSpans, visible } from '../mark-spans.ts';

/** How text is set off; as it is where there are no colours. */
export interface Paint {
  readonly bad: (text: string) => string;
  readonly good: (text: string) => string;
  readonly dim: (text: string) => string;
}

const AS_IT_IS = (text: string): string => text;
export const PLAIN: Paint = { bad: AS_IT_IS, good: AS_IT_IS, dim: AS_IT_IS };
export const COLOURED: Paint = {
  bad: (text) => `\x1b[1;31m${text}\x1b[0m`,
  good: (text) => `\x1b[32m${text}\x1b[0m`,
  dim: (text) => `\x1b[2m${text}\x1b[0m`,
};

/** For people: the command with what was found underlined, its parts as a tree, the verdict and why. */
export function renderExplanation(explanation: Explanation, paint: Paint = PLAIN): string {
  const { command, verdict, message, parts, spans, notes } = explanation;
  const marked = markSpans(command, spans).map((line) => (/^ *\^[ ^]*$/.test(line) ? paint.bad(line) : line));
  const lines = [
    ...marked,
    '',
    ...renderTree(explanation, paint),
    ...(parts.length === 0 ? [] : ['']),
    (verdict === 'allow' ? paint.good : paint.bad)(verdict),
    ...(message === '' ? [] : [message]),
    ...notes,
  ];
  return `${lines.join('\n')}\n`;
}

/** What runs what: a part stands below the part that runs it. */
function renderTree({ parts, rules }: Explanation, paint: Paint): readonly string[] {
  const children = (outer: number | null): readonly number[] =>
    parts.flatMap((part, index) => (part.outer === outer ? [index] : []));
  const render = (index: number, lead: string, isLast: boolean): readonly string[] => {
    const part = parts[index];
    if (part === undefined) return [];
    const said = rules.filter(({ part: text, span }) => text === part.text && span.start === part.span.start);
    const own = visible(part.text);
    const told = said.map(({ rule, because }) => `${rule}${because === '' ? '' : `: ${because}`}`).join('; ');
    const head = said.some(({ verdict }) => verdict !== 'allow') ? paint.bad(own) : own;
    const line = [head, inside(part, parts), told === '' ? '' : `← ${visible(told)}`];
    const shown = line
      .filter((text, at) => at === 0 || text !== '')
      .map((text, at) => (at === 0 ? text : paint.dim(text)));
    const below = children(index);
    return [
      `${paint.dim(`  ${lead}${isLast ? '└─' : '├─'}`)} ${shown.join('   ')}`,
      ...below.flatMap((child, at) =>
        render(child, `${lead}${isLast ? '   ' : '│  '}`, at === below.length - 1),
      ),
    ];
  };
  const roots = children(null);
  return roots.flatMap((root, at) => render(root, '', at === roots.length - 1));
}

/** Where it stands beside being run by the part above it: in a substitution, a function, a trap. */
function inside({ via, outer }: ExplainedPart, parts: readonly ExplainedPart[]): string {
  const above = outer === null ? undefined : parts[outer];
  const known = above === undefined ? 0 : above.via.length + 1;
  const rest = via.slice(known);
  return rest.length === 0 ? '' : visible(`in ${rest.join(' > ')}`);
}
