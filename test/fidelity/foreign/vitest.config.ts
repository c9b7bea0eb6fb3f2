import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/fidelity/foreign/foreign.ts'],
    testTimeout: 3_600_000,
    maxWorkers: 1,
    cache: false,
  },
});
