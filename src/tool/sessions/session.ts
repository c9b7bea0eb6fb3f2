import { existsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** File with the session key, when the directory has another name. */
export const SESSION_KEY_FILE = 'session';

/** A session: a directory, and a key that its runs carry. */
export interface Session {
  readonly key: string;
  /** Created on first use. */
  readonly directory: string;
  /** Root of `local://`. */
  readonly localDirectory: string;
  /** Directory in which a sandbox sees the artifacts that its commands name. */
  readonly sandboxArtifactsDirectory: string;
  /** Writes the key file when the directory name differs from the key. */
  writeKeyFile(): void;
}

/** Creates the session of a key. Equal keys are the same session. */
export function createSession(key: string, stateDirectory: string): Session {
  const directory = join(stateDirectory, 'sessions', toSessionDirectoryName(key));
  return {
    key,
    directory,
    localDirectory: join(directory, 'local'),
    sandboxArtifactsDirectory: join(directory, 'shown'),
    writeKeyFile: () => {
      const file = join(directory, SESSION_KEY_FILE);
      if (basename(directory) !== key && !existsSync(file)) writeFileSync(file, key, { mode: 0o600 });
    },
  };
}

/** A readable name that is unique for every key. */
function toSessionDirectoryName(key: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(key)) return key;
  const readable = key.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 48);
  const { createHash } = process.getBuiltinModule('node:crypto');
  return `${readable}.${createHash('sha256').update(key).digest('hex').slice(0, 12)}`;
}
