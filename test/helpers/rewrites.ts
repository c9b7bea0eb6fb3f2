/**
 * Rewrites of a command that keep its meaning: quoting, escaping, wrapping, splitting, nesting, variables.
 *
 * Each takes a text and a source of chance, and gives a text that does the same, or `null` where it does not fit.
 */
export type Rewrite = (command: string, chance: () => number) => string | null;

/** Words of nothing but plain characters, with where they stand: what can be spelled otherwise. */
function plainWords(command: string): readonly { readonly text: string; readonly at: number }[] {
  // Quoted or expanded text and comments are left alone: spelled otherwise they would mean something else.
  if (/['"`$\\#<>(){}[\]*?~=!]/.test(command)) return [];
  return [...command.matchAll(/[A-Za-z0-9_./:@+-]+/g)]
    .map((match) => ({ text: match[0], at: match.index }))
    .filter(({ text }) => !RESERVED.has(text));
}

const RESERVED = new Set(
  'if then else elif fi for while until do done case esac in select function time coproc'.split(' '),
);

function respell(command: string, chance: () => number, spell: (word: string) => string): string | null {
  const words = plainWords(command);
  const word = words[Math.floor(chance() * words.length)];
  if (word === undefined) return null;
  return command.slice(0, word.at) + spell(word.text) + command.slice(word.at + word.text.length);
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const octal = (text: string): string =>
  [...text].map((char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`).join('');
/** One simple command or list on one line, without here-documents: it can stand inside something else. */
const isLine = (command: string): boolean => !/\n|<<|^\s*#|\s#|&\s*$|^\s*$/.test(command);

export const REWRITES: Readonly<Record<string, Rewrite>> = {
  'single quotes': (command, chance) => respell(command, chance, (word) => `'${word}'`),
  'double quotes': (command, chance) => respell(command, chance, (word) => `"${word}"`),
  'quotes in the middle': (command, chance) =>
    respell(command, chance, (word) => `${word.slice(0, 1)}''${word.slice(1)}`),
  'a backslash': (command, chance) => respell(command, chance, (word) => `\\${word}`),
  'octal escapes': (command, chance) => respell(command, chance, (word) => `$'${octal(word)}'`),
  'a continued line': (command, chance) =>
    respell(command, chance, (word) => `${word.slice(0, 1)}\\\n${word.slice(1)}`),
  'a variable': (command, chance) => {
    const words = plainWords(command);
    const word = words[Math.floor(chance() * words.length)];
    if (word === undefined) return null;
    const [before, after] = [command.slice(0, word.at), command.slice(word.at + word.text.length)];
    return `part=${word.text}; ${before}"$part"${after}`;
  },
  'a group': (command) => (isLine(command) ? `{ ${command}; }` : null),
  'a subshell': (command) => (isLine(command) ? `( ${command} )` : null),
  'a condition': (command) => (isLine(command) ? `if true; then ${command}; fi` : null),
  'a loop': (command) => (isLine(command) ? `for turn in 1; do ${command}; done` : null),
  'a function': (command) => (isLine(command) ? `work() { ${command}; }; work` : null),
  'after something': (command) => (isLine(command) ? `true && { ${command}; }` : null),
  'before something': (command) => (isLine(command) ? `${command}\ntrue` : null),
  'bash -c': (command) => (isLine(command) ? `bash -c ${quoted(command)}` : null),
  eval: (command) => (isLine(command) ? `eval ${quoted(command)}` : null),
  'a here-string': (command) => (isLine(command) ? `bash <<< ${quoted(command)}` : null),
  'a here-document': (command) => (isLine(command) ? `sh <<'END_OF_IT'\n${command}\nEND_OF_IT\n` : null),
  'a substitution': (command) => (isLine(command) ? `: "$( ${command} )"` : null),
  'a pipe into a shell': (command) => (isLine(command) ? `printf '%s\\n' ${quoted(command)} | bash` : null),
  'a trap': (command) => (isLine(command) ? `trap ${quoted(command)} EXIT` : null),
  'a timeout': (command) => (isLine(command) ? `timeout 60 bash -c ${quoted(command)}` : null),
  env: (command) => (isLine(command) ? `env X=1 nice -n 5 sh -c ${quoted(command)}` : null),
  base64: (command) =>
    isLine(command) ? `echo ${Buffer.from(command).toString('base64')} | base64 -d | bash` : null,
};

/** A source of chance that gives the same each time. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
