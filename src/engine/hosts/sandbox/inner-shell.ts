import { closeSync, constants, fstatSync, openSync, readFileSync, unlinkSync } from 'node:fs';
import type { WrittenShell } from '../../run/request.ts';
import { MAX_SHELL_BYTES } from '../placed-shell.ts';
import { SHELLS } from './bwrap-words.ts';

/** What a shell inside wrote down of itself: read from outside, through the sandbox's first process, and gone then. */
export function takeInnerShell(init: number, id: string): WrittenShell {
  const take = (name: 'before' | 'after'): string | null => {
    const path = `/proc/${init}/root${SHELLS}/${id}.${name}`;
    const text = readPlain(path);
    try {
      unlinkSync(path);
    } catch {
      // It never was there, or the sandbox is gone.
    }
    return text;
  };
  return { before: take('before'), after: take('after') };
}

/** Whatever they put there inside: only a plain file of a fair size is read, and no link is followed. */
function readPlain(path: string): string | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stats = fstatSync(fd);
    return stats.isFile() && stats.size <= MAX_SHELL_BYTES ? readFileSync(fd, 'latin1') : null;
  } finally {
    closeSync(fd);
  }
}
