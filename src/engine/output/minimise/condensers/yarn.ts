import type { Condenser } from '../condenser.ts';

export const yarn: Condenser = {
  name: 'yarn',
  commands: ['yarn', 'yarn install', 'yarn add', 'yarn upgrade'],
  rules: [
    { what: 'log lines', pattern: /^verbose \d/, sure: true },
    { what: 'steps', pattern: /^\[\d\/\d\] |^info (?:Direct|All) dependencies/ },
    { what: 'packages', pattern: /^[├└]─ \S+@/ },
    { what: 'fetched packages', pattern: /^➤ YN00(?:13|19|85): /, sure: true },
  ],
};
