import type { IUnicodeVersionProvider } from '@xterm/headless';
import { columnsOfCharacter } from '../text/columns.ts';

/** Beyond the planes that hold letters and emoji nothing is remembered. */
const REMEMBERED = 0x20000;

/**
 * How wide characters are, as terminals and programs of today have it: the emulator's own table is that of Unicode 6, in
 * which an emoji takes one column, and everything after it in its row would stand in the wrong place.
 */
export function createWidths(): IUnicodeVersionProvider {
  // Each kept as its width and one more: 0 is not known yet.
  const known = new Uint8Array(REMEMBERED);
  const look = (code: number): 0 | 1 | 2 => {
    const before = known[code] ?? 0;
    const width = before > 0 ? ((before - 1) as 0 | 1 | 2) : widthOf(code);
    if (code < REMEMBERED) known[code] = width + 1;
    return width;
  };
  const wcwidth = (code: number): 0 | 1 | 2 => (code >= 0x20 && code < 0x7f ? 1 : look(code));
  return {
    version: 'nacre',
    wcwidth,
    charProperties: (code, preceding) => {
      const width = wcwidth(code);
      const widthBefore = (preceding >> 1) & 3;
      const isJoined = width === 0 && preceding !== 0 && widthBefore > 0;
      return ((isJoined ? widthBefore : width) << 1) | (isJoined ? 1 : 0);
    },
  };
}

function widthOf(code: number): 0 | 1 | 2 {
  if (code < 0xa0) return code < 0x20 || code >= 0x7f ? 0 : 1;
  // A mark that asks for a picture is drawn over what is before it and does not make it wider here.
  return code === 0xfe0f ? 0 : columnsOfCharacter(String.fromCodePoint(code));
}
