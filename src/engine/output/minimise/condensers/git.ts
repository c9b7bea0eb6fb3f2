import type { Condenser } from '../condenser.ts';

export const git: Condenser = {
  name: 'git',
  commands: [
    'git clone',
    'git fetch',
    'git pull',
    'git push',
    'git status',
    'git merge',
    'git checkout',
    'git gc',
    'git submodule',
    'git lfs',
    'git diff --stat',
  ],
  own: true,
  rules: [
    {
      what: 'progress lines',
      pattern:
        /^(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Resolving|Updating|Unpacking|Writing|Filtering|Checking)[\w ]*: +\d/,
      sure: true,
    },
    { what: 'merged files', pattern: /^Auto-merging /, sure: true },
    { what: 'files created or deleted', pattern: /^ (?:create|delete) mode \d+ / },
  ],
  groupings: [
    { what: 'changed files', pattern: /^ (\S*?)[^/\s]* +\| +(?:\d+ [+-]*|Bin .*)$/, keep: 3 },
    {
      what: 'files in this state',
      pattern: /^\t(?:(?:modified|deleted|renamed|new file): +)?(\S*\/)?[^/]*$/,
      keep: 8,
    },
    { what: 'branches and tags', pattern: /^ [*+] \[new (branch|tag)\]/, keep: 3 },
  ],
};
