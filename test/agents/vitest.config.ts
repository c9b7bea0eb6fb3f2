import { defineConfig } from 'vitest/config';

/** Real agents with our MCP server, against a model on loopback: `npm run test:agents`. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.test.ts'],
    testTimeout: 120_000,
    maxWorkers: 1,
  },
});
