import type { Flag } from './flag.ts';

/** What a job is waited for: a line that it prints, or a port that answers. */
export type Condition = { readonly pattern: RegExp } | { readonly port: number };

export function condition(help: string): Flag<Condition> {
  return {
    value: '<what>',
    help,
    expected: 'a regular expression, or port: and a number from 1 to 65535',
    parse: parseCondition,
  };
}

function parseCondition(word: string): Condition | undefined {
  const [, port] = /^port:(.*)$/.exec(word) ?? [];
  if (port !== undefined)
    return /^\d{1,5}$/.test(port) && Number(port) > 0 && Number(port) < 65_536
      ? { port: Number(port) }
      : undefined;
  // A pattern may stand alone, too.
  const pattern = word.replace(/^log:(?=.)/s, '');
  try {
    return pattern === '' ? undefined : { pattern: new RegExp(pattern, 'u') };
  } catch {
    return undefined;
  }
}
