import { clipText, displayWidth } from '../../rendering/text-width.ts';

/** The role of a text; the theme maps it to a style. */
export type Tone =
  | 'plain'
  | 'output'
  | 'dim'
  | 'strong'
  | 'marked'
  | 'accent'
  | 'good'
  | 'bad'
  | 'warn'
  | 'title'
  | 'status'
  | 'key'
  | 'alert';

/** Tones with a background: a row that ends with one is filled to its end. */
export const FULL_WIDTH_TONES: ReadonlySet<Tone> = new Set(['status', 'key', 'alert']);

export interface StyledSpan {
  readonly text: string;
  readonly tone: Tone;
  /** The text with escape sequences, such as a row of an embedded terminal; `text` is its plain form. */
  readonly painted?: string;
}

/** One row of the screen. */
export type StyledRow = readonly StyledSpan[];

export function span(text: string, tone: Tone = 'plain'): StyledSpan {
  return { text, tone };
}

export function rowWidth(row: StyledRow): number {
  return row.reduce((width, { text }) => width + displayWidth(text), 0);
}

/** Clips a row to a width. */
export function clipRow(row: StyledRow, columns: number): StyledRow {
  const kept: StyledSpan[] = [];
  let left = columns;
  for (const each of row) {
    const width = displayWidth(each.text);
    if (width <= left) kept.push(each);
    else if (left > 0) kept.push({ text: clipText(each.text, left), tone: each.tone });
    left -= width;
    if (left <= 0) break;
  }
  return kept;
}

/** Aligns spans to the left and the right; the right part is omitted when both do not fit. */
export function justifyRow(left: StyledRow, right: StyledRow, columns: number): StyledRow {
  const gap = columns - rowWidth(left) - rowWidth(right);
  if (gap < 1) return clipRow(left, columns);
  return [...left, span(' '.repeat(gap), left.at(-1)?.tone ?? 'plain'), ...right];
}

/** The SGR sequence of each tone. */
export type Theme = Readonly<Record<Tone, string>>;

const RESET = '\x1b[0m';

const DARK: Theme = {
  plain: '',
  output: '\x1b[38;5;250m',
  dim: '\x1b[38;5;243m',
  strong: '\x1b[1m',
  marked: '\x1b[1;4m',
  accent: '\x1b[38;5;80m',
  good: '\x1b[38;5;114m',
  bad: '\x1b[38;5;210m',
  warn: '\x1b[38;5;222m',
  title: '\x1b[1;38;5;80m',
  status: '\x1b[48;5;235;38;5;248m',
  key: '\x1b[48;5;235;1;38;5;255m',
  alert: '\x1b[48;5;235;38;5;222m',
};

const LIGHT: Theme = {
  plain: '',
  output: '\x1b[38;5;238m',
  dim: '\x1b[38;5;243m',
  strong: '\x1b[1m',
  marked: '\x1b[1;4m',
  accent: '\x1b[38;5;30m',
  good: '\x1b[38;5;28m',
  bad: '\x1b[38;5;124m',
  warn: '\x1b[38;5;130m',
  title: '\x1b[1;38;5;30m',
  status: '\x1b[48;5;253;38;5;238m',
  key: '\x1b[48;5;253;1;38;5;232m',
  alert: '\x1b[48;5;253;38;5;130m',
};

/** A theme with weight and reverse video only. */
const COLOURLESS: Theme = {
  plain: '',
  output: '',
  dim: '\x1b[2m',
  strong: '\x1b[1m',
  marked: '\x1b[1;4m',
  accent: '\x1b[1m',
  good: '',
  bad: '\x1b[1m',
  warn: '\x1b[1m',
  title: '\x1b[1m',
  status: '\x1b[7m',
  key: '\x1b[7;1m',
  alert: '\x1b[7;1m',
};

export function themeForBackground(background: 'dark' | 'light'): Theme {
  return background === 'light' ? LIGHT : DARK;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** Chooses the theme from `NO_COLOR`, then `NACRE_THEME`, then `COLORFGBG`. */
export function chooseTheme(env: Variables): Theme {
  if ((env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb') return COLOURLESS;
  if (env.NACRE_THEME === 'light') return LIGHT;
  if (env.NACRE_THEME === 'dark') return DARK;
  return isLightBackground(env.COLORFGBG) ? LIGHT : DARK;
}

/** Whether the theme may follow the terminal's background; not when the environment sets it. */
export function canAdaptTheme(env: Variables): boolean {
  return chooseTheme(env) !== COLOURLESS && env.NACRE_THEME !== 'light' && env.NACRE_THEME !== 'dark';
}

/** `COLORFGBG` has the form `foreground;background` with colour numbers. */
function isLightBackground(colours: string | undefined): boolean {
  const background = Number(colours?.split(';').at(-1) || Number.NaN);
  return background === 7 || (background >= 9 && background <= 15);
}

export function applyTone(theme: Theme, tone: Tone, text: string): string {
  const code = theme[tone];
  return code === '' ? text : `${code}${text}${RESET}`;
}
