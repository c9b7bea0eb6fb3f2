const RANDOM_DIGITS = 6;

/**
 * A run's name: when it began (milliseconds, base 36), then chance.
 *
 * Names sort by age, and since time does not come back, none is ever used again, even after its run was swept away.
 */
export function createRunId(now: number = Date.now()): string {
  // Chance enough to keep two programs apart; the directory's creation settles the rest. Not a secret, so not worth loading `node:crypto`.
  const chance = Math.floor(Math.random() * 36 ** RANDOM_DIGITS)
    .toString(36)
    .padStart(RANDOM_DIGITS, '0');
  return `${now.toString(36)}${chance}`;
}

/** Whether a text can be a run's name at all: it becomes part of a path. */
export function isRunId(text: string): boolean {
  return /^[0-9a-z]{14,16}$/.test(text);
}

/** When the run of this name was made, in milliseconds. */
export function toRunTime(id: string): number {
  return Number.parseInt(id.slice(0, -RANDOM_DIGITS), 36);
}
