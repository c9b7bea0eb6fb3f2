/** Of every built-in condenser: known without loading them. */
export const CONDENSER_NAMES: readonly string[] = [
  ...[
    'vitest',
    'jest',
    'mocha',
    'node test',
    'pytest',
    'unittest',
    'cargo',
    'go',
    'prove',
    'ctest',
    'dotnet',
  ],
  ...['npm', 'pnpm', 'yarn', 'pip', 'apt', 'bundler', 'maven', 'gradle', 'make', 'webpack', 'docker'],
  ...['git diff', 'git', 'listing'],
];
