const MAX_DESCRIBED_LENGTH = 60;

/** A value as a sentence of an error names it: short, and never more than its first characters. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return `the text ${JSON.stringify(truncateValue(value))}`;
  if (typeof value === 'number' || typeof value === 'bigint') return `the number ${value}`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value === null || typeof value === 'boolean') return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function truncateValue(text: string): string {
  return text.length <= MAX_DESCRIBED_LENGTH ? text : `${text.slice(0, MAX_DESCRIBED_LENGTH)}…`;
}

/** The known name that a mistyped one most likely meant, if any is close enough. */
export function findNearestName(name: string, known: readonly string[]): string | undefined {
  // Nobody mistypes a name of this length, and the search is as long as the name.
  if (name.length > 64) return undefined;
  const wanted = name.toLowerCase();
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(wanted, candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best && best.distance <= Math.max(1, Math.floor(wanted.length / 3)) ? best.candidate : undefined;
}

function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
