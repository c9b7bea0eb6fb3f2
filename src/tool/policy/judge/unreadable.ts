import type { Unreadable } from '../evaluate/unreadable.ts';
import type { Settings } from './settings.ts';
import type { Finding } from './verdict.ts';

/** What comes of the texts that could not be read. */
export interface Reading {
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
}

/** bash reports its own syntax errors better than we could; what only we cannot read is refused. */
export function readUnreadables(
  unreadables: readonly Unreadable[],
  { unreadable, bashAccepts }: Pick<Settings, 'unreadable' | 'bashAccepts'>,
  found: readonly Finding[],
): Reading {
  const denied = found.some(({ verdict }) => verdict === 'deny');
  const [first] = unreadables;
  if (first === undefined || denied) return { findings: [], notes: [] };
  const readable = unreadables.find(({ text }) => bashAccepts?.(text) ?? true);
  if (readable === undefined)
    return { findings: [], notes: [`bash will report a syntax error near character ${first.span.start}`] };
  if (unreadable === 'allow')
    return {
      findings: [],
      notes: [`not checked from character ${readable.span.start} on: ${readable.problem}`],
    };
  return { findings: [toFinding(readable)], notes: [] };
}

function toFinding({ text, span, problem }: Unreadable): Finding {
  return {
    rule: 'unreadable',
    verdict: 'deny',
    message: `permission denied: this command cannot be checked, it is unreadable at character ${span.start} (${problem}). Write it in a simpler form`,
    found: text.slice(Math.max(0, span.start - 20), span.start + 20).trim() || text.slice(0, 40),
    because: problem,
    via: [],
    span,
    instead: 'the same in plainer syntax, or in a script file',
  };
}
