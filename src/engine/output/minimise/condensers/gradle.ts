import type { Condenser } from '../condenser.ts';

export const gradle: Condenser = {
  name: 'gradle',
  commands: ['gradle', 'gradlew'],
  rules: [
    {
      what: 'tasks',
      pattern: /^(?:> Task )?:[\w:-]+(?: (?:UP-TO-DATE|NO-SOURCE|FROM-CACHE|SKIPPED))?$/,
      sure: true,
    },
    { what: 'passed tests', pattern: /^\S.* > .* (?:PASSED|SKIPPED)$/, sure: true },
    { what: 'downloads', pattern: /^Download(?:ing)? (?:https?:|from )/, sure: true },
    { what: 'progress lines', pattern: /^<[=-]*> \d+% |^> (?:Configure|IDLE|Resolve)/, sure: true },
  ],
};
