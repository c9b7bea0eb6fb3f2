const UNITS = [
  { ms: 3_600_000, long: 'hours', short: 'h' },
  { ms: 60_000, long: 'minutes', short: 'min' },
] as const;

/** `300 seconds`, `24 hours`: hours and minutes from ten on, where they are whole; else seconds. */
export function renderDuration(ms: number): string {
  const unit = UNITS.find((candidate) => ms % candidate.ms === 0 && ms / candidate.ms >= 10);
  return unit ? `${ms / unit.ms} ${unit.long}` : `${ms / 1_000} seconds`;
}

/** `30s`, `15min`, `24h`: the largest unit that leaves a whole number. */
export function renderShortDuration(ms: number): string {
  const unit = UNITS.find((candidate) => ms % candidate.ms === 0);
  return unit ? `${ms / unit.ms}${unit.short}` : `${ms / 1_000}s`;
}
