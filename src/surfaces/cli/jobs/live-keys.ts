/** A key as the live table knows it: a character, or the name of one that is none. */
export type LiveKey = string;

const NAMES: Readonly<Record<string, LiveKey>> = {
  '\x1b[A': 'up',
  '\x1bOA': 'up',
  '\x1b[B': 'down',
  '\x1bOB': 'down',
  '\x1b[5~': 'page-up',
  '\x1b[6~': 'page-down',
  '\x1b': 'escape',
  '\r': 'enter',
  '\n': 'enter',
  '\x7f': 'backspace',
  '\b': 'backspace',
  '\x03': 'ctrl-c',
};

/** What a terminal sent, cut into keys; sequences that mean nothing here are left out. */
export function parseKeys(text: string): LiveKey[] {
  const pieces = text.match(/\x1b(?:\[[0-9;]*[ -/]*[@-~]|O.)?|[\s\S]/gu) ?? [];
  return pieces.flatMap((piece) => {
    const name = NAMES[piece];
    if (name !== undefined) return [name];
    return /^[\x00-\x1f]/.test(piece) ? [] : [piece];
  });
}
