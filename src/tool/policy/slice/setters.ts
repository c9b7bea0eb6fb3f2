/** Builtins that give variables their value without an assignment. */
export const SETTERS: ReadonlySet<string> = new Set([
  'read',
  'mapfile',
  'readarray',
  'printf',
  'getopts',
  'unset',
  'export',
  'declare',
  'typeset',
  'local',
  'readonly',
]);
