import type { Condenser } from '../condenser.ts';

export const pnpm: Condenser = {
  name: 'pnpm',
  commands: ['pnpm install', 'pnpm i', 'pnpm add', 'pnpm update', 'pnpm fetch'],
  rules: [
    {
      what: 'progress lines',
      pattern: /^(?:\S+ +\| )?(?:Progress: resolved|Already up to date|Downloading \S+: )/,
      sure: true,
    },
  ],
};
