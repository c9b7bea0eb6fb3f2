import type { Nearby } from '../pattern.ts';

/** Of a stack: frames of the program itself, not of its libraries, runners and runtime. */
const OWN_FRAME =
  /^\s+(?:at (?!.*(?:node_modules|node:|\(native\)|<anonymous>$|java\.base\/|jdk\.internal|org\.junit|org\.gradle|org\.apache\.maven|sun\.reflect|java\.lang\.reflect))|from \S+:\d+|#\d+ +(?:0x[\da-f]+ )?in |\[0x)/;

/** What a tool says about what it expected, what it got and where. */
const DETAIL = new RegExp(
  [
    OWN_FRAME.source,
    /^\s*(?:❯|→|-->|::: |╭─\[|,-\[|┌─) ?\S*[\w)\]]:\d+/.source,
    /^\s*>? *\d+ *[|│] .*\S/.source,
    /^\s*(?:[-+] \S|[-+](?:Expected|Received|actual|expected)|[Ee]xpected\b|[Rr]eceived\b|[Aa]ctual\b|[Gg]ot\b|[Ww]ant\b|left: |right: |[Mm]essage: |[Rr]eason: |[Dd]etails?: |[Hh]elp: |[Nn]ote: |but was|what\(\): |code: |at: |location: )/
      .source,
    /^\s+(?:expected|actual|operator|error|stack|code|message|location): /.source,
    /^\S*[\w)]\.[a-z]{1,4}:\d+: \w+(?:Error|Exception)?$/.source,
  ].join('|'),
);

export const DETAILS: Nearby = { pattern: DETAIL, lines: 8, within: 24 };
export const FRAMES: Nearby = { pattern: OWN_FRAME, lines: 3, within: 16 };
export const NEXT_LINE: Nearby = { pattern: /\S/, lines: 1, within: 2 };
export const NEXT_LINES: Nearby = { pattern: /\S/, lines: 3, within: 5 };
export const INDENTED: Nearby = { pattern: /^\s+\S/, lines: 4, within: 7 };

/** Where a compiler points: the line of source, the caret under it, what it adds. */
export const POINTER: Nearby = {
  pattern:
    /^\s*(?:-->|╭|,-|\d* *[|│] *\S|[~^]+|= (?:note|help): )|: note: |^\s+(?:symbol|location|required|found): /,
  lines: 4,
  within: 9,
};

/** In whose body, and from which file, as compilers say it before the message. */
export const COMPILER_CONTEXT: Nearby = {
  pattern:
    /: (?:In (?:member |static )?(?:function|constructor|destructor|lambda|instantiation)|At (?:top level|global scope))|^In file included from |^\s+from \S+:\d+|^# \S+$/,
  lines: 3,
  within: 3,
};

/** The file that a list of findings is about stands alone on a line above them. */
export const FILE_ABOVE: Nearby = {
  pattern: /^(?:\/|\.{0,2}\/|[\w@.-]+\/|[A-Z]:\\)?[\w@.-][\w@./\\-]*\.\w{1,8}:?$/,
  lines: 1,
  within: 40,
};
