import type { Condenser } from '../condenser.ts';

export const bundler: Condenser = {
  name: 'bundler',
  commands: ['bundle', 'gem', 'composer'],
  rules: [
    {
      what: 'packages',
      pattern:
        /^(?:Using|Fetching|Installing|Downloading) \S+ [\d(]|^ {2}- (?:Installing|Downloading|Locking|Upgrading|Updating|Syncing) /,
      sure: true,
    },
    { what: 'progress bars', pattern: /^ +\d+\/\d+ \[[=>-]+\]/, sure: true },
  ],
};
