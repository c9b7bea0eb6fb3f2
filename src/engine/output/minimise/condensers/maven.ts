import type { Condenser } from '../condenser.ts';

export const maven: Condenser = {
  name: 'maven',
  commands: ['mvn', 'mvnw', 'maven'],
  rules: [
    {
      what: 'downloads',
      pattern: /^(?:\[INFO\] )?(?:Downloading|Downloaded)(?: from \S+)?: |^Progress \(\d+\)/,
      sure: true,
    },
    { what: 'debug lines', pattern: /^\[DEBUG\]/, sure: true },
    {
      what: 'passed test classes',
      pattern: /^\[INFO\] (?:Running \S+$|Tests run: \d+, Failures: 0, Errors: 0, .*Time elapsed)/,
      sure: true,
    },
    {
      what: 'steps',
      pattern:
        /^\[INFO\] (?:Copying|Compiling|Using|Nothing to|Including|skip|Installing|Building jar|Changes detected|Skipping)\b/,
    },
    { what: 'blank lines', pattern: /^\[INFO\]\s*(?:-{10,})?$/, sure: true },
  ],
  keep: /^\[(?:ERROR|WARNING)\]/,
};
