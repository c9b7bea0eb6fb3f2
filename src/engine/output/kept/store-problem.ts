const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'writing is not permitted',
  EPERM: 'writing is not permitted',
  EROFS: 'the disk is read-only',
  EIO: 'the disk reports an error',
  EFBIG: 'the file would be too large',
  ENOENT: 'the directory is gone',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

/** Why a file could not be written, for a sentence: `no space is left on the disk (ENOSPC)`. */
export function describeStoreProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const words = code === undefined ? undefined : WORDS[code];
  return words === undefined ? String(message) : `${words} (${code})`;
}
