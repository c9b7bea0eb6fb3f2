/** What is known of a call whose arguments are still arriving. */
export interface PartialCall {
  readonly command: string;
  readonly env: readonly string[];
  readonly cwd: string | null;
}

const STRING = String.raw`"((?:[^"\\]|\\.)*)("?)`;

/**
 * Reads a call from the beginning of its JSON. A model's arguments come in pieces, and a person wants to see what it is
 * about to run before the last of them is there. `null` while not even the command has begun.
 */
export function readPartialCall(json: string): PartialCall | null {
  const command = readField(json, 'command');
  if (command === null) return null;
  return { command, env: readVariables(json), cwd: readField(json, 'cwd') };
}

function readField(json: string, name: string): string | null {
  const [, text] = new RegExp(`"${name}"\\s*:\\s*${STRING}`, 's').exec(json) ?? [];
  return text === undefined ? null : readText(text);
}

function readVariables(json: string): string[] {
  const [, inside = ''] = /"env"\s*:\s*\{([^}]*)/s.exec(json) ?? [];
  return [...inside.matchAll(new RegExp(`"(\\w+)"\\s*:\\s*${STRING}`, 'gs'))].map(
    ([, name = '', value = '']) => `${name}=${readText(value)}`,
  );
}

/** An escape that is cut in two is left out until the rest of it is there. */
function readText(text: string): string {
  const whole = text.replace(/\\(?:u[\da-fA-F]{0,3})?$/, '');
  try {
    return JSON.parse(`"${whole.replace(/[\x00-\x1f]/g, ' ')}"`) as string;
  } catch {
    return whole;
  }
}
