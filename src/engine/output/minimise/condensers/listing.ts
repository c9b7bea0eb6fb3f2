import type { Condenser } from '../condenser.ts';

/** Directory listings: of each directory the first entries, and how many there are. */
export const listing: Condenser = {
  name: 'listing',
  commands: ['ls', 'find', 'fd', 'tree', 'du', 'rg --files', 'git ls-files', 'tar', 'unzip'],
  own: true,
  groupings: [
    { what: 'entries', pattern: /^([-dlcbps])[-rwxsStT]{9}/, keep: 8 },
    { what: 'entries', pattern: /^((?:\d\S*\t)?\S*\/)[^/]*$/, keep: 6 },
    { what: 'entries', pattern: /^((?:[│|] {3}| {4})*[├└|`]── )/, keep: 12 },
  ],
};
