const BINARY_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A size in binary units: `1536` → `1.5KiB`. */
export function renderByteSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), BINARY_UNITS.length - 1);
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)}${BINARY_UNITS[power]}`;
}

/** A duration with at most two units: `850 ms`, `4.2 s`, `3 min 20 s`. */
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

const ROUNDED_UNITS = ['KB', 'MB', 'GB', 'TB'] as const;

/** A size rounded to two or three digits: `3.4 KB`, `120 MB`. */
export function renderRoundedSize(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  let amount = bytes / 1024;
  let step = 0;
  while (amount >= 999.5 && step < ROUNDED_UNITS.length - 1) {
    amount /= 1024;
    step += 1;
  }
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${ROUNDED_UNITS[step]}`;
}
