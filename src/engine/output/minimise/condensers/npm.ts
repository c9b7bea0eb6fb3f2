import type { Condenser } from '../condenser.ts';

export const npm: Condenser = {
  name: 'npm',
  commands: [
    'npm install',
    'npm i',
    'npm ci',
    'npm add',
    'npm update',
    'npm audit',
    'npm exec',
    'npx',
    'bun install',
    'bun add',
  ],
  names: true,
  rules: [
    { what: 'requests', pattern: /^npm http (?:fetch (?:GET|POST|HEAD) (?:200|304)|cache) /, sure: true },
    { what: 'log lines', pattern: /^npm (?:sill|silly|verb|verbose|info|timing|notice) /, sure: true },
  ],
  keep: /^npm (?:warn|WARN|error|ERR!)/,
};
