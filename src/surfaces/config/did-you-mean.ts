/** ` Did you mean X?` for the known name that shares the most letter pairs with a mistyped one, or nothing. */
export function didYouMean(name: string, known: Iterable<string>): string {
  let best = { score: 0.4, candidate: '' };
  for (const candidate of known) {
    const score = similarity(name, candidate);
    if (score > best.score) best = { score, candidate };
  }
  return best.candidate === '' ? '' : ` Did you mean ${best.candidate}?`;
}

/** From 0 to 1: twice the pairs in common over the pairs in all. */
function similarity(left: string, right: string): number {
  const [a, b] = [letterPairs(left), letterPairs(right)];
  const common = [...a].filter((pair) => b.has(pair)).length;
  return (2 * common) / (a.size + b.size);
}

/** The edges count as letters, so that one-letter words and first letters have a say. */
function letterPairs(word: string): Set<string> {
  const letters = `^${word.toLowerCase()}$`;
  return new Set(Array.from({ length: letters.length - 1 }, (_, at) => letters.slice(at, at + 2)));
}
