import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const dist = join(import.meta.dirname, '../../dist');

/** The real frameworks and clients, offline: `npm run test:peers`. They see the built package under its own name. */
export default defineConfig({
  resolve: {
    alias: [
      { find: /^nacre$/, replacement: join(dist, 'index.js') },
      { find: /^nacre\/(.+)$/, replacement: join(dist, 'surfaces/adapters/$1.js') },
    ],
  },
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
