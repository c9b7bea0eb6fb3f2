import type { FailurePattern } from '../pattern.ts';
import { INDENTED, NEXT_LINE, NEXT_LINES } from './nearby.ts';

/** Build tools and bundlers. */
export const BUILDS: readonly FailurePattern[] = [
  {
    pattern: /^(?:\w*make|scons|gmake)(?:\[\d+\])?: \*\*\* |^make(?:\[\d+\])?: .*Error \d/,
    words: ['*** ', '\n***', 'error ~'],
  },
  {
    pattern:
      /^FAILED: |^ninja: (?:error|build stopped|fatal)|^(?:\S+: )?CMake Error|^-- Configuring incomplete/,
    words: ['failed: ', 'ninja: ', 'cmake error', 'incomplete, err'],
    follow: INDENTED,
  },
  {
    pattern:
      /^configure: error: |^\S+\.build:\d+:\d+: ERROR: |^ERROR: \S+\/BUILD\S*:\d+|^checking .*\.\.\. (?:failed|not found|no \()/,
    words: ['configure: error', ' error: ', 'error: ', 'checking '],
    rank: 'failure',
  },
  { pattern: /^\[ERROR\] \S|^\[error\] \S|^\[FATAL\] /, words: ['[error]', '[fatal]'], run: 14 },
  {
    pattern:
      /^FAILURE: Build |^> Task .* FAILED|^BUILD FAILED|^\* What went wrong:|^Execution failed for task |^\*\* (?:BUILD|TEST) FAILED|^Build FAILED/,
    words: ['failure: build', ' failed', '\nbuild failed', 'what went wrong', 'execution fail'],
    follow: { pattern: /\S/, lines: 3, within: 4 },
  },
  {
    pattern:
      /^\s*✘ \[ERROR\] |^ERROR in |^Module (?:not found|build failed|parse failed)|^\[!\] |^🚨 |^error during build:|^\[vite[\]:]|^\s*[x✗] Build failed/,
    words: ['[error]', 'error in', '\nmodule ', '[!] ', '🚨', 'error during', '[vite', 'build failed'],
    follow: NEXT_LINES,
  },
  {
    pattern:
      /\b(?:Can't|Cannot|Could not|could not|Failed to|failed to|Unable to|unable to) (?:resolve|find module|find package|load|parse|compile|build|transform|import|solve|locate|start|connect|fetch|pull|push|download|install|open|read|create|execute|run|get|determine|satisfy)\b/,
    words: ["can't ", 'cannot ', 'could not ', 'failed to ', 'unable to '],
    follow: NEXT_LINE,
  },
  {
    pattern:
      /\b(?:cannot|could not|couldn't) be (?:found|resolved|loaded|built|satisfied)\b|\bdoes not provide an export\b|\bis not exported (?:by|from)\b|\bhas no exported member\b|^No rule to make|: No rule to make/,
    words: [
      'cannot be',
      'could not be',
      "couldn't be",
      'provide an exp',
      'not exported',
      'no exported',
      'no rule to',
    ],
  },
  {
    pattern:
      /^\s*(?:NX|lerna|turbo|nx)\s+(?:ERR!|ERROR|Ran target.*failed)|^\s*✖ {1,4}nx run|^.*: ERROR: command finished with error|^Failed: {4}\S/,
    words: ['err!', 'error', 'ran target', 'nx run', 'failed: '],
    follow: NEXT_LINE,
  },
  {
    pattern:
      /^#\d+ (?:ERROR|\d+\.\d+ .*(?:error|Error|ERROR|fatal|not found))|^executor failed|^failed to solve|^The command '.*' returned a non-zero/,
    words: ['error', 'fatal', 'not found', 'executor fail', 'failed to solve', 'non-zero'],
  },
  {
    pattern: /^ > \[.*\]? RUN .*:$|^Dockerfile:\d+$|^>>> RUN /,
    words: ['] run ', 'dockerfile:', '>>> '],
    rank: 'maybe',
  },
  {
    pattern:
      /^\S+\.(?:dart|gradle|kts?|scala|hs|swift|zig|nim|vue|svelte|s?css|less|html?):\d+(?::\d+)?:? .*\b(?:[Ee]rror|failed|undefined|expected)\b/,
    words: ['error', 'failed', 'undefined', 'expected'],
  },
];
