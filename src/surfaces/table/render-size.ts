const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `1536` → `1.5KiB`. */
export function renderSize(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1);
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)}${UNITS[power]}`;
}
