/** Measures candidates side by side: shuffled rounds in one process, so that a slow minute slows all of them. */

export const median = (values) => quantile(values, 0.5);
export const p95 = (values) => quantile(values, 0.95);

export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Milliseconds of each round of each candidate, interleaved.
 *
 * They take turns of `turn` calls. With more than one, the first of a turn is not counted: a program that forks is slower
 * for a while (its pages must be copied when it writes to them), and that is not for the next candidate to pay.
 */
export async function interleave(candidates, { rounds, restMs = 15, warmup = 2, turn = 1 }) {
  const times = new Map(Object.keys(candidates).map((name) => [name, []]));
  const lead = turn > 1 ? 1 : 0;
  for (let round = -warmup; round < rounds; round += turn) {
    for (const name of shuffle(Object.keys(candidates))) {
      for (let call = -lead; call < turn; call++) {
        await rest(restMs);
        const begin = performance.now();
        await candidates[name]();
        if (round >= 0 && call >= 0) times.get(name).push(performance.now() - begin);
      }
    }
  }
  return times;
}

function shuffle(names) {
  return names
    .map((name) => [Math.random(), name])
    .sort(([a], [b]) => a - b)
    .map(([, name]) => name);
}

/** Rows of `[name, value, …]` as a Markdown table. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export const ms = (value) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;
export const times = (value) => `${value.toFixed(2)} ×`;
export const mbs = (bytes, millis) => `${Math.round(bytes / 1e6 / (millis / 1000))} MB/s`;
