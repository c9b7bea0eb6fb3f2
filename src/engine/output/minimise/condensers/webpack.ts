import type { Condenser } from '../condenser.ts';

/** Bundlers: which modules they put where. */
export const webpack: Condenser = {
  name: 'webpack',
  commands: ['webpack', 'vite', 'rollup', 'next', 'parcel', 'ng', 'esbuild', 'tsup'],
  rules: [
    {
      what: 'modules',
      pattern:
        /^\s*(?:modules by path|(?:\.\/|\.\.\/|\|? *\.?\/)?\S+ [\d.]+ (?:bytes|KiB|MiB)\b|\| +\S|\+ \d+ modules|cacheable modules|orphan modules|runtime modules|<[a-z]+> )/,
    },
    {
      what: 'details of modules',
      pattern:
        /^\s+(?:\[(?:exports|used exports|no exports|module|built|cached|code generated)|(?:harmony|cjs|esm|entry|import)\b.*\[|ModuleConcatenation|factory:|building:|\d+ ms)/,
    },
    { what: 'assets', pattern: /^(?:dist|build|out)\/\S+ +[\d.]+ [kM]?B|^asset \S+\.map /, sure: true },
    {
      what: 'debug lines',
      pattern: /^\s*\S+Z? vite:\S+ |^transforming|^rendering chunks|^computing gzip|^vite v/,
      sure: true,
    },
  ],
};
