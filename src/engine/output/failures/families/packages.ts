import type { FailurePattern } from '../pattern.ts';
import { INDENTED, NEXT_LINE, NEXT_LINES } from './nearby.ts';

/** Package managers: which package, which version, and why not. */
export const PACKAGES: readonly FailurePattern[] = [
  { pattern: /^npm (?:ERR!|error) (?!A complete log|\s*$)/, words: ['npm err'], run: 24 },
  {
    pattern: /\bERR_PNPM_\w+|^\s*ELIFECYCLE\b|^\u2009?\s?ERROR\u2009? /,
    words: ['err_pnpm', 'elifecycle', 'error'],
    follow: NEXT_LINES,
  },
  {
    pattern: /^error (?:Command failed|An unexpected|Couldn't|\S+@\S+:|\S.*: )/,
    words: ['\nerror '],
    follow: NEXT_LINE,
  },
  {
    pattern: /^(?:➤ )?YN\d{4}: .*(?:✘|✖|error|[Ff]ailed|can't be|couldn't)|^➤ YN0001: |^➤ YN0009: /,
    words: ['➤ yn', 'yn00'],
  },
  {
    pattern: /^Lockfile |\bERESOLVE\b|\bETARGET\b|\bENOENT\b|\bEUSAGE\b|\bEINTEGRITY\b/,
    words: ['lockfile ', 'eresolve', 'etarget', 'enoent', 'eusage', 'eintegrity'],
  },
  {
    pattern: /^\s*ERROR: (?!\[\w)/,
    words: ['error: '],
    run: 6,
    follow: { pattern: /^\s+\S/, lines: 2, within: 3 },
  },
  { pattern: /^\s*×\s+\S|^\s*╰─>/, words: [' × ', '\n× ', '╰─>'], follow: INDENTED },
  {
    pattern:
      /^E: |^dpkg: (?:error|dependency problems|warning: while)|^Errors were encountered while processing|^ \S+ : (?:Pre)?(?:Depends|Conflicts|Breaks): |^The following packages have unmet/,
    words: ['\ne: ', 'dpkg: ', 'errors were', 'depends: ', 'conflicts: ', 'breaks: ', 'have unmet'],
    run: 6,
    follow: INDENTED,
  },
  {
    pattern:
      /^Could not find (?:a version|gem|any|artifact)|^No matching (?:distribution|package|version)|^An error occurred while installing|^Your requirements could not be resolved|^\s+Problem \d+$|^\s+- Root composer\.json/,
    words: ['could not ', 'no matching', 'an error occ', 'requirements', 'problem ~', 'root composer'],
    follow: NEXT_LINES,
  },
  {
    pattern:
      /^go: .*(?:error|not found|unknown revision|cannot find|no matching|invalid|missing|unrecognized|requires|reading )/,
    words: ['\ngo: '],
  },
  {
    pattern: /^(?:error|ERROR): (?:failed to|could not|no matching|cannot|unable to|package `)/,
    words: ['error: '],
    follow: { pattern: /\S/, lines: 5, within: 8 },
  },
  {
    pattern: /^(?:required by|location searched|perhaps you meant|candidate versions found)/,
    words: ['required by', 'location sea', 'perhaps you', 'candidate ver'],
  },
  {
    pattern:
      /^(?:SolverProblemError|UnsatisfiableError|PackagesNotFoundError|ResolutionImpossible)|^Because .* (?:depends on|requires) .*,|^So, because |version solving failed/,
    words: [
      'problemerror',
      'unsatisfiable',
      'notfounderror',
      'impossible',
      '\nbecause ',
      'so, because',
      'solving failed',
    ],
    run: 8,
  },
  {
    pattern:
      /^warning .*(?:incorrect|unmet) peer|^npm (?:warn|WARN) (?:deprecated|ERESOLVE|peer|EBADENGINE|old lockfile|config)/,
    words: ['warn'],
    rank: 'warning',
  },
];
