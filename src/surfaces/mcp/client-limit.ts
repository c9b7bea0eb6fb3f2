/** How long clients wait for a tool before they give up, in seconds; progress does not make them wait longer. */
const KNOWN_LIMITS: readonly (readonly [name: RegExp, seconds: number | null])[] = [
  [/codex/i, 300],
  [/gemini/i, 600],
  [/claude/i, null],
];

/** What the protocol's own libraries wait for when nobody sets anything. */
const UNKNOWN_CLIENT_SECONDS = 60;

/** Between our answer and the client's limit: a busy machine must not make us late. */
const MARGIN_MS = 10_000;

/** How a client's limit is found: a number of milliseconds, 0 for none, or by the name of the client. */
export type CallLimit = number | 'auto';

/** After how long a call must have answered, in milliseconds; `null`: whenever it likes. */
export function answerWithinMs(limit: CallLimit, clientName: string): number | null {
  const limitMs = limit === 'auto' ? knownLimitMs(clientName) : limit;
  if (limitMs === null || limitMs === 0) return null;
  return Math.max(limitMs / 2, limitMs - MARGIN_MS);
}

function knownLimitMs(clientName: string): number | null {
  const known = KNOWN_LIMITS.find(([name]) => name.test(clientName));
  const seconds = known === undefined ? UNKNOWN_CLIENT_SECONDS : known[1];
  return seconds === null ? null : seconds * 1_000;
}
