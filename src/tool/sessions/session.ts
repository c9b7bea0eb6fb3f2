import { existsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Holds the key of a session whose folder has another name. */
export const SESSION_KEY_FILE = 'session';

/** What belongs to one agent: its folder, and by its key its artifacts and jobs. */
export interface Session {
  readonly key: string;
  /** Made when something is put into it. */
  readonly directory: string;
  /** What `local://` stands for. */
  readonly localDirectory: string;
  /** Where a sandbox finds the artifacts that its commands name. */
  readonly sandboxArtifactsDirectory: string;
  /** Leaves its key in the folder, where the name of the folder does not tell it. */
  writeKeyFile(): void;
  /** Whether a run belongs to it, by what was asked. */
  owns(asked: Readonly<Record<string, unknown>>): boolean;
}

/** A session under a state directory. Two of the same key are the same session. */
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
    owns: (asked) => asked.session === key,
  };
}

/** Readable, and never the same for two keys, whatever characters they have. */
function toSessionDirectoryName(key: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(key)) return key;
  const readable = key.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 48);
  const { createHash } = process.getBuiltinModule('node:crypto');
  return `${readable}.${createHash('sha256').update(key).digest('hex').slice(0, 12)}`;
}
