import type { WindowSizes } from './window.ts';

const KIB = 1024;

/**
 * How much of an output each profile keeps in memory: enough to show it without the artifact, colours and
 * redrawn lines included. Memory is taken as output comes, so small outputs cost little.
 */
export const WINDOW_SIZES: Readonly<Record<'agent' | 'modes' | 'simple', WindowSizes>> = {
  agent: { headBytes: 64 * KIB, tailBytes: 192 * KIB },
  modes: { headBytes: 192 * KIB, tailBytes: 64 * KIB },
  simple: { headBytes: 1088 * KIB, tailBytes: 0 },
};
