import { vi } from 'vitest';

/** Looks again until it holds. A machine under load is slow, and that is no failure. */
export function eventually<T>(look: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(look, { timeout: 20_000, interval: 10 });
}
