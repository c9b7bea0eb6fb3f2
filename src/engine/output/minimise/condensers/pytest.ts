import type { Condenser } from '../condenser.ts';

export const pytest: Condenser = {
  name: 'pytest',
  commands: ['pytest', 'py.test', 'tox', 'nox'],
  rules: [
    {
      what: 'passed tests',
      pattern:
        /^\S+::.+ (?:PASSED|XPASS|SKIPPED|XFAIL)\b|^\[gw\d+\] \[ *\d+%\] PASSED|^\S+\.py [.sx]+ *\[ *\d+%\]$|^[.sx]+ *\[ *\d+%\]$/,
      sure: true,
    },
  ],
};
