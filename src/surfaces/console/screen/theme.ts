import type { Tone } from './row.ts';

/** How each kind of text looks: the codes before it. */
export type Theme = Readonly<Record<Tone, string>>;

const RESET = '\x1b[0m';

const DARK: Theme = {
  plain: '',
  dim: '\x1b[38;5;245m',
  strong: '\x1b[1m',
  accent: '\x1b[38;5;80m',
  good: '\x1b[38;5;114m',
  bad: '\x1b[38;5;210m',
  warn: '\x1b[38;5;222m',
  title: '\x1b[1;38;5;80m',
  chosen: '\x1b[48;5;236m',
  status: '\x1b[48;5;235;38;5;250m',
};

const LIGHT: Theme = {
  plain: '',
  dim: '\x1b[38;5;243m',
  strong: '\x1b[1m',
  accent: '\x1b[38;5;30m',
  good: '\x1b[38;5;28m',
  bad: '\x1b[38;5;124m',
  warn: '\x1b[38;5;130m',
  title: '\x1b[1;38;5;30m',
  chosen: '\x1b[48;5;254m',
  status: '\x1b[48;5;253;38;5;238m',
};

/** Without colours: weight and reversal only, which are none. */
const COLOURLESS: Theme = {
  plain: '',
  dim: '\x1b[2m',
  strong: '\x1b[1m',
  accent: '\x1b[1m',
  good: '',
  bad: '\x1b[1m',
  warn: '\x1b[1m',
  title: '\x1b[1m',
  chosen: '\x1b[7m',
  status: '\x1b[7m',
};

type Variables = Readonly<Record<string, string | undefined>>;

/** What suits the terminal and the person: `NO_COLOR`, then their own word, then what the terminal says of itself. */
export function chooseTheme(env: Variables): Theme {
  if ((env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb') return COLOURLESS;
  if (env.NACRE_THEME === 'light') return LIGHT;
  if (env.NACRE_THEME === 'dark') return DARK;
  return isLight(env.COLORFGBG) ? LIGHT : DARK;
}

/** Some terminals tell their colours as `foreground;background`, by number. */
function isLight(colours: string | undefined): boolean {
  const background = Number(colours?.split(';').at(-1) || Number.NaN);
  return background === 7 || (background >= 9 && background <= 15);
}

export function paint(theme: Theme, tone: Tone, text: string): string {
  const code = theme[tone];
  return code === '' ? text : `${code}${text}${RESET}`;
}
