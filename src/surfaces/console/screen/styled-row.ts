import { columnsOf } from '../../../index.ts';
import { clipText } from '../../rendering/text-width.ts';

/** What a piece of text is; the theme says how that looks. */
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
  | 'chosen'
  | 'status'
  | 'key'
  | 'alert';

/** Tones with a ground of their own: a row that ends with one is coloured to its end. */
export const FULL_WIDTH_TONES: ReadonlySet<Tone> = new Set(['chosen', 'status', 'key', 'alert']);

export interface StyledSpan {
  readonly text: string;
  readonly tone: Tone;
  /** Already painted, such as a row of another terminal; `text` is what it says without colours. */
  readonly painted?: string;
}

/** One row of the screen. */
export type StyledRow = readonly StyledSpan[];

export function span(text: string, tone: Tone = 'plain'): StyledSpan {
  return { text, tone };
}

export function rowWidth(row: StyledRow): number {
  return row.reduce((width, { text }) => width + columnsOf(text), 0);
}

/** The spans that fit, the last of them cut where it must be. */
export function clipRow(row: StyledRow, columns: number): StyledRow {
  const kept: StyledSpan[] = [];
  let left = columns;
  for (const each of row) {
    const width = columnsOf(each.text);
    if (width <= left) kept.push(each);
    else if (left > 0) kept.push({ text: clipText(each.text, left), tone: each.tone });
    left -= width;
    if (left <= 0) break;
  }
  return kept;
}

/** Left and right of one row, with what is between them left blank; the right gives way first. */
export function justifyRow(left: StyledRow, right: StyledRow, columns: number): StyledRow {
  const gap = columns - rowWidth(left) - rowWidth(right);
  if (gap < 1) return clipRow(left, columns);
  return [...left, span(' '.repeat(gap), left.at(-1)?.tone ?? 'plain'), ...right];
}

/** How each kind of text looks: the codes before it. */
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
  chosen: '\x1b[48;5;236m',
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
  chosen: '\x1b[48;5;254m',
  status: '\x1b[48;5;253;38;5;238m',
  key: '\x1b[48;5;253;1;38;5;232m',
  alert: '\x1b[48;5;253;38;5;130m',
};

/** Without colours: weight and reversal only, which are none. */
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
  chosen: '\x1b[7m',
  status: '\x1b[7m',
  key: '\x1b[7;1m',
  alert: '\x1b[7;1m',
};

export function themeForBackground(ground: 'dark' | 'light'): Theme {
  return ground === 'light' ? LIGHT : DARK;
}

type Variables = Readonly<Record<string, string | undefined>>;

/** What suits the terminal and the person: `NO_COLOR`, then their own word, then what the terminal says of itself. */
export function chooseTheme(env: Variables): Theme {
  if ((env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb') return COLOURLESS;
  if (env.NACRE_THEME === 'light') return LIGHT;
  if (env.NACRE_THEME === 'dark') return DARK;
  return isLightBackground(env.COLORFGBG) ? LIGHT : DARK;
}

/** Whether what the terminal says later may change it: not where the person has decided. */
export function canAdaptTheme(env: Variables): boolean {
  return chooseTheme(env) !== COLOURLESS && env.NACRE_THEME !== 'light' && env.NACRE_THEME !== 'dark';
}

/** Some terminals tell their colours as `foreground;background`, by number. */
function isLightBackground(colours: string | undefined): boolean {
  const background = Number(colours?.split(';').at(-1) || Number.NaN);
  return background === 7 || (background >= 9 && background <= 15);
}

export function applyTone(theme: Theme, tone: Tone, text: string): string {
  const code = theme[tone];
  return code === '' ? text : `${code}${text}${RESET}`;
}
