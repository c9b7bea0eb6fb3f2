/** One entry of a list that bash printed. It ends at a newline that is not within quotes of one of the three kinds. */
const ENTRY =
  /((?:[^"'\\\n$]+|\\[\s\S]|\$'[^'\\]*(?:\\[\s\S][^'\\]*)*'|'[^']*'|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|\$)*)\n/g;

/** Splits what `declare -p` or `alias -p` printed. */
function splitDeclarations(text: string): string[] {
  return [...text.matchAll(ENTRY)].map(([, entry = '']) => entry);
}

/** The variables in what `declare -p` or `local -p` printed, by name. */
export function variablesIn(text: string): Map<string, string> {
  return byName(text, /^declare -\S+ ([A-Za-z_]\w*)(?:=|$)/);
}

/** The aliases in what `alias -p` printed, by name. */
export function aliasesIn(text: string): Map<string, string> {
  return byName(text, /^alias (?:-- )?([^=]+)=/);
}

function byName(text: string, pattern: RegExp): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of splitDeclarations(text)) {
    const name = pattern.exec(entry)?.[1];
    if (name !== undefined) found.set(name, entry);
  }
  return found;
}
