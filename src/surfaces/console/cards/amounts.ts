/** How long something took, for a glance. */
export function renderDuration(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1000) return `${whole} ms`;
  const seconds = whole / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.floor(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const UNITS = ['KB', 'MB', 'GB', 'TB'] as const;

/** How much something is, for a glance. */
export function renderSize(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  let amount = bytes / 1024;
  let step = 0;
  while (amount >= 999.5 && step < UNITS.length - 1) {
    amount /= 1024;
    step += 1;
  }
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${UNITS[step]}`;
}
