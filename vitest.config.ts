import { defineConfig } from 'vitest/config';
import { SummaryReporter } from './test/reporter.ts';

const project = (name: string, more: object = {}) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ['test/setup.ts'],
    ...more,
  },
});

export default defineConfig({
  test: {
    // Two cores: a third worker only makes process tests wait for each other.
    maxWorkers: 2,
    reporters: [new SummaryReporter()],
    projects: [
      project('unit'),
      project('process'),
      project('conformance'),
      project('architecture'),
      project('package'),
      project('hosts'),
      project('hosts-long', { testTimeout: 600_000, hookTimeout: 300_000 }),
      project('fidelity', { testTimeout: 600_000 }),
    ],
  },
});
