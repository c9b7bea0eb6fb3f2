import type { Condenser } from '../condenser.ts';

export const cargo: Condenser = {
  name: 'cargo',
  commands: ['cargo', 'cross'],
  rules: [
    {
      what: 'passed tests',
      pattern: /^test .+ \.\.\. ok(?: <[\d.]+s>)?$|^\s+PASS \[ *[\d.]+s\] /,
      sure: true,
    },
    { what: 'ignored tests', pattern: /^test .+ \.\.\. ignored/, sure: true },
    {
      what: 'crates',
      pattern:
        /^\s+(?:Compiling|Downloaded|Downloading|Fresh|Checking|Locking|Adding|Updating|Documenting|Dirty|Removing|Installing|Unpacking|Building) \S/,
      sure: true,
    },
  ],
};
