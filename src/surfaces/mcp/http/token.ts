import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { NacreError } from '../../../index.ts';

const SHORTEST = 16;

/** The token in a file that only its owner can read; the first time one is made, so that clients need it only once. */
export function readToken(file: string): string {
  const token = readOrMake(file).trim();
  if (token.length < SHORTEST)
    throw new NacreError('token_unusable', { file, reason: `it holds fewer than ${SHORTEST} characters` });
  if (/\s/.test(token))
    throw new NacreError('token_unusable', { file, reason: 'it holds more than one word' });
  return token;
}

function readOrMake(file: string): string {
  try {
    if (!statSync(file).isFile()) throw new Error('it is not a file');
    // The umask and whoever made the file may have been generous.
    chmodSync(file, 0o600);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw unusable(file, error);
  }
  try {
    const token = randomBytes(32).toString('base64url');
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
    return token;
  } catch (error) {
    throw unusable(file, error);
  }
}

function unusable(file: string, cause: unknown): NacreError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new NacreError('token_unusable', { file, reason }, { cause });
}
