import { NacreError } from '../../errors.ts';

/** The settings of a file, with nested names joined: `{"async": {"enabled": true}}` is `async.enabled`. */
export function parseSettings(text: string, file: string): ReadonlyMap<string, unknown> {
  const root = parseJson(text, file);
  if (!isGroup(root)) throw invalid({ file, key: 'the file', expected: 'an object', received: String(root) });
  const flat = new Map<string, unknown>();
  for (const [key, value] of leavesOf(root, '')) {
    if (flat.has(key)) throw invalid({ file, key, expected: 'set once', received: 'two values' });
    // `null` is as good as nothing, and `$schema` is for editors.
    if (value !== null && key !== '$schema') flat.set(key, value);
  }
  return flat;
}

function* leavesOf(group: object, path: string): Generator<readonly [string, unknown]> {
  for (const [name, value] of Object.entries(group)) {
    // Hosts are named by whoever writes them: below that name nothing is a setting of its own.
    if (isGroup(value) && `${path}${name}` !== 'hosts') yield* leavesOf(value, `${path}${name}.`);
    else yield [`${path}${name}`, value];
  }
}

function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(withoutComments(text));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new NacreError('settings_unreadable', { file, reason }, { cause });
  }
}

/** Comments and trailing commas become spaces, so that positions in errors stay right; texts stay as they are. */
function withoutComments(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replace(/("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, blankUnlessKept)
    .replace(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g, blankUnlessKept);
}

function blankUnlessKept(found: string, kept: string | undefined): string {
  return kept ?? found.replace(/[^\n]/g, ' ');
}

function invalid(fields: Readonly<Record<'file' | 'key' | 'expected' | 'received', string>>): NacreError {
  return new NacreError('setting_invalid', fields);
}
