import type { Call, Handler, Machine } from '../state/machine.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, toField } from '../words/atom.ts';
import { parseOptions } from './options.ts';
import { inside, runApart } from './unwrap.ts';

/** How a language takes a program as an argument. */
interface Language {
  /** Options whose value is a program. */
  readonly code: readonly string[];
  /** Other short options that take a value. */
  readonly short?: string;
  /** The first operand is a program: `awk`. */
  readonly operand?: true;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  python: { code: ['c'], short: 'mWXQ' },
  python2: { code: ['c'], short: 'mWXQ' },
  python3: { code: ['c'], short: 'mWXQ' },
  perl: { code: ['e', 'E'], short: 'IMm' },
  ruby: { code: ['e'], short: 'IrCE' },
  node: { code: ['e', 'p', 'eval', 'print'], short: 'rC' },
  nodejs: { code: ['e', 'p', 'eval', 'print'], short: 'r' },
  bun: { code: ['e', 'p', 'eval', 'print'] },
  php: { code: ['r'], short: 'dfcS' },
  lua: { code: ['e'], short: 'l' },
  awk: { code: ['e'], short: 'Fvf', operand: true },
  gawk: { code: ['e'], short: 'Fvf', operand: true },
  mawk: { code: [], short: 'FvfW', operand: true },
  nawk: { code: [], short: 'Fvf', operand: true },
};

export const LANGUAGE_NAMES: readonly string[] = Object.keys(LANGUAGES);

/** Programs in other languages are not read, but the commands they plainly hand to a shell are. */
export const program: Handler = (call, machine) => {
  const name = literalOf(call.argv[0])?.replace(/.*\//, '') ?? '';
  const language = LANGUAGES[name];
  if (language === undefined) return undefined;
  const { options, operands } = parseOptions(call.argv.slice(1), {
    short: (language.short ?? '') + language.code.filter((option) => option.length === 1).join(''),
    long: language.code.filter((option) => option.length > 1).map((option) => `${option}=`),
  });
  const given = options.flatMap(({ name: option, value }) =>
    language.code.includes(option) && value ? [value] : [],
  );
  const texts = [...given, ...(language.operand && given.length === 0 ? operands.slice(0, 1) : [])];
  const reads = texts.length === 0 && (operands.length === 0 || literalOf(operands[0]) === '-');
  for (const text of reads ? (call.frame.stdin ?? []) : texts) runCalls(text, { call, name }, machine);
  return undefined;
};

const STRING = String.raw`"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'`;
const CALLS = String.raw`\b(?:system|popen|popen2|popen3|exec|execSync|shell_exec|passthru|proc_open|getoutput|getstatusoutput|check_output|check_call|call|run|Popen|spawn|spawnSync|execFile|execFileSync|execvp|execlp|capture2|capture2e|capture3|os\.execute)`;
const CALL = new RegExp(`${CALLS}\\s*\\(?\\s*(?:${STRING})`, 'g');
const LIST = new RegExp(`${CALLS}\\s*\\(\\s*(?:(?:${STRING})\\s*,\\s*)?\\[([^\\]]*)\\]`, 'g');
const QUOTED = /(?:\bqx|%x)\s*([{([|/!])([^\n]*?)[})\]|/!]|`([^`\n]*)`/g;

function runCalls(
  text: Field,
  { call, name }: { readonly call: Call; readonly name: string },
  machine: Machine,
): void {
  const code = text.map((atom) => (atom.kind === 'text' ? atom.text : ' ')).join('');
  const frame = inside(call.frame, `${name} program`);
  const scripts = [...code.matchAll(CALL)].map((match) => match[1] ?? match[2] ?? '');
  if (/^(?:perl|ruby|php)$/.test(name))
    scripts.push(...[...code.matchAll(QUOTED)].map((match) => match[2] ?? match[3] ?? ''));
  machine.budget.spend(scripts.length);
  for (const script of scripts) runApart([toField(unquote(script))], frame, machine);
  for (const match of code.matchAll(LIST)) {
    const first = match[1] ?? match[2];
    const rest = [...(match[3] ?? '').matchAll(new RegExp(STRING, 'g'))].map(
      (string) => string[1] ?? string[2] ?? '',
    );
    const argv = [...(first === undefined ? [] : [first]), ...rest].map((word) => toField(unquote(word)));
    machine.perform({ ...call, frame, argv, plain: true });
  }
}

function unquote(text: string): string {
  return text.replace(/\\(["'\\])/g, '$1');
}
