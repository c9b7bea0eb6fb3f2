import type { Condenser } from '../condenser.ts';

export const dotnet: Condenser = {
  name: 'dotnet',
  commands: ['dotnet', 'phpunit', 'rspec', 'swift', 'xcodebuild'],
  rules: [
    {
      what: 'passed tests',
      pattern: /^\s+(?:Passed|Skipped) \S.* \[[<\d]|^ ✔ |^Test Case .* passed \(/,
      sure: true,
    },
    { what: 'restored packages', pattern: /^\s+Restored |^\s+Determining projects/, sure: true },
  ],
};
