import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The text of a small file of `/proc`; `null` when it is gone, or not for us to see. */
export function readProcText(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}

export function readProcLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** The names of a directory that are numbers: threads, descriptors. */
export function listProcNumbers(path: string): number[] | null {
  try {
    return readdirSync(path).map(Number);
  } catch {
    return null;
  }
}
