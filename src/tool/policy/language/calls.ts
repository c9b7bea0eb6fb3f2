/** A string of another language, and what it holds. */
export const STRING: string = String.raw`"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'`;

const CALLS = String.raw`\b(?:system|popen|popen2|popen3|exec|execSync|shell_exec|passthru|proc_open|getoutput|getstatusoutput|check_output|check_call|call|run|Popen|spawn|spawnSync|execFile|execFileSync|execvp|execlp|execv|execl|spawnvp|spawnlp|capture2|capture2e|capture3|create_subprocess_shell|create_subprocess_exec|os\.execute|do shell script|Command)`;
const TEXT = new RegExp(`${CALLS}\\s*\\(?\\s*(?:[rbuf]{0,2})(?:${STRING})`, 'g');
const LIST = new RegExp(
  `${CALLS}\\s*\\(\\s*(?:(?:${STRING})\\s*,\\s*)?(?:\\{\\s*args\\s*:\\s*)?[[(]([^\\])]*)[\\])]`,
  'g',
);
/** `system("git", "add")`: words one by one. */
const WORDS = new RegExp(`${CALLS}\\s*\\(?\\s*((?:${STRING})(?:\\s*,\\s*(?:${STRING}))+)`, 'g');
const PERL_WORDS = new RegExp(`${CALLS}\\s*\\(?\\s*qw\\s*[({[/|]([^)}\\]/|]*)`, 'g');
const QUOTED = /(?:\bqx|%x)\s*([{([|/!])([^\n]*?)[})\]|/!]|`([^`\n]*)`/g;
/** awk: `print x | "command"`, `"command" | getline`. */
const PIPED = new RegExp(`(?:(?:${STRING})\\s*\\|&?\\s*getline)|(?:\\|&?\\s*(?:${STRING}))`, 'g');
/** awk: `print "text" | "sh"`. */
const PRINTED = new RegExp(
  `print\\s*\\(?\\s*(?:${STRING})\\s*\\)?\\s*\\|&?\\s*(?:"(?:ba)?sh"|'(?:ba)?sh')`,
  'g',
);
const TCL = /(?:^|[;\n{[])\s*exec\s+([^;\n\]}]+)/g;

/** Texts that a program plainly hands to a shell. */
export function shellTexts(code: string, language: string): readonly string[] {
  const texts = stringsOf(code, TEXT);
  if (/^(?:perl|ruby|php|bun|deno|node|tsx)$/.test(language))
    texts.push(...[...code.matchAll(QUOTED)].map((match) => match[2] ?? match[3] ?? ''));
  if (language.endsWith('awk')) texts.push(...stringsOf(code, PIPED), ...stringsOf(code, PRINTED));
  if (language === 'tclsh') texts.push(...[...code.matchAll(TCL)].map((match) => match[1] ?? ''));
  if (language === 'perl') texts.push(...[...code.matchAll(PERL_WORDS)].map((match) => match[1] ?? ''));
  return texts.map(unquote);
}

/** Commands that it runs word by word. */
export function wordLists(code: string): readonly (readonly string[])[] {
  const lists = [...code.matchAll(LIST)].map((match) => [
    ...(match[1] === undefined && match[2] === undefined ? [] : [match[1] ?? match[2] ?? '']),
    ...stringsOf(match[3] ?? '', new RegExp(STRING, 'g')),
  ]);
  const words = [...code.matchAll(WORDS)].map((match) => stringsOf(match[1] ?? '', new RegExp(STRING, 'g')));
  return [...lists, ...words].map((list) => list.map(unquote));
}

function stringsOf(code: string, pattern: RegExp): string[] {
  return [...code.matchAll(pattern)].map(
    (match) => match.slice(1).find((group) => group !== undefined) ?? '',
  );
}

export function unquote(text: string): string {
  return text.replace(/\\(["'\\])/g, '$1');
}
