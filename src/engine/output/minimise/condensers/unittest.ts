import type { Condenser } from '../condenser.ts';

export const unittest: Condenser = {
  name: 'unittest',
  commands: ['unittest', 'nosetests', 'nose2'],
  rules: [{ what: 'passed tests', pattern: /^\S.* \.\.\. (?:ok|skipped .*)$|^\w+ \([\w.]+\)$/, sure: true }],
};
