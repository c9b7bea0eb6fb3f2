import { ORDERS } from './orders.ts';

/** What is said about something one can type or press. */
export type HelpLine = readonly [what: string, help: string];

export interface HelpPart {
  readonly title: string;
  readonly lines: readonly HelpLine[];
}

/** What a newcomer needs to begin. */
export const FIRST_STEPS: readonly HelpLine[] = [
  ['npm test', 'runs as a model’s call would: judged, limited, cut'],
  ['!git push', 'runs as yourself'],
  ['/pty vim notes.md', 'gets a terminal of its own'],
  ['/help', 'all orders and keys'],
];

export const HELP: readonly HelpPart[] = [
  {
    title: 'What you type',
    lines: [
      ['command', 'a call of the tool: judged, limited, shown as a model would see it'],
      ['{"command": …}', 'the same with every field of a call'],
      ['!command', 'runs as yourself: not judged, not rewritten'],
      ['!!command', 'the same, and stays out of the transcript'],
    ],
  },
  {
    title: 'Orders',
    lines: ORDERS.map(({ name, words, help }) => [`${name} ${words}`.trim(), help] as const),
  },
  {
    title: 'Keys',
    lines: [
      ['esc', 'stops what runs'],
      ['ctrl-y', 'answers a question; esc leaves it'],
      ['ctrl-o', 'expands and folds a call'],
      ['ctrl-g', 'opens its full output'],
      ['alt-↑ alt-↓', 'choose another call for these'],
      ['ctrl-b', 'jobs'],
      ['pgup pgdn', 'scroll'],
      ['tab', 'completes programs, paths and orders'],
      ['↑ ↓ ctrl-r', 'the history, and a search in it'],
      ['alt-enter', 'another line; so does \\ at the end of one'],
      ['ctrl-d', 'leaves; jobs go on'],
    ],
  },
];
