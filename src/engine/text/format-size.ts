const KIB = 1024;

/** Formats a size as the `modes` profile does, e.g. `200.0KB`: one decimal, powers of 1024, no space. */
export function toCompactSize(bytes: number): string {
  const { amount, unit } = scale(bytes);
  return unit === 'bytes' ? `${amount}B` : `${amount.toFixed(1)}${unit}`;
}

/** Formats a size for messages: `1.2 MB`, `1 byte`, `0 bytes`. */
export function toHumanSize(bytes: number): string {
  if (bytes === 1) return '1 byte';
  const { amount, unit } = scale(bytes);
  return unit === 'bytes' ? `${amount} bytes` : `${amount.toFixed(1)} ${unit}`;
}

/** Formats an integer with thousands separators, e.g. `10,562`, independent of the locale. */
export function toGroupedNumber(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats a count with its noun: `1 line`, `2,000 lines`. */
export function toCount(count: number, noun: string): string {
  return `${toGroupedNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const UNITS = ['KB', 'MB', 'GB'] as const;

function scale(bytes: number): { readonly amount: number; readonly unit: 'bytes' | (typeof UNITS)[number] } {
  if (bytes < KIB) return { amount: bytes, unit: 'bytes' };
  let amount = bytes / KIB;
  let step = 0;
  // From 1023.95 on, `toFixed(1)` gives 1024.0.
  while (amount >= 1023.95 && step < UNITS.length - 1) {
    amount /= KIB;
    step += 1;
  }
  return { amount, unit: UNITS[step] ?? 'GB' };
}
