/** How much a line says about why something failed. Higher ones get room first. */
export type FailureRank = 'failure' | 'summary' | 'maybe' | 'warning';

/** Lines near a recognised one that belong to it. */
export interface NearbyLines {
  readonly pattern: RegExp;
  /** At most so many of them, */
  readonly lines: number;
  /** looked for among so many lines; others between them are passed over. */
  readonly within: number;
}

/** A kind of line that tells how something went, as one tool or several write it. */
export interface FailurePattern {
  readonly pattern: RegExp;
  /**
   * In lower case: no line matches that has none of these. `~` is any digit, a leading newline the start of a
   * line. A pass over the raw bytes looks for these words alone, so they are at least four characters long.
   */
  readonly words: readonly string[];
  /** Its words are everywhere: where only the raw bytes are looked at, it is not looked for. */
  readonly common?: true;
  /** @default 'failure' */
  readonly rank?: FailureRank;
  readonly before?: NearbyLines;
  readonly follow?: NearbyLines;
  /** Lines of this kind that follow on each other are one message, up to so many. */
  readonly run?: number;
}

/** Of a stack: frames of the program itself, not of its libraries, runners and runtime. */
const OWN_FRAME_PATTERN =
  /^\s+(?:at (?!.*(?:node_modules|node:|\(native\)|<anonymous>$|java\.base\/|jdk\.internal|org\.junit|org\.gradle|org\.apache\.maven|sun\.reflect|java\.lang\.reflect))|from \S+:\d+|#\d+ +(?:0x[\da-f]+ )?in |\[0x)/;

/** What a tool says about what it expected, what it got and where. */
const DETAIL_PATTERN = new RegExp(
  [
    OWN_FRAME_PATTERN.source,
    /^\s*(?:❯|→|-->|::: |╭─\[|,-\[|┌─) ?\S*[\w)\]]:\d+/.source,
    /^\s*>? *\d+ *[|│] .*\S/.source,
    /^\s*(?:[-+] \S|[-+](?:Expected|Received|actual|expected)|[Ee]xpected\b|[Rr]eceived\b|[Aa]ctual\b|[Gg]ot\b|[Ww]ant\b|left: |right: |[Mm]essage: |[Rr]eason: |[Dd]etails?: |[Hh]elp: |[Nn]ote: |but was|what\(\): |code: |at: |location: )/
      .source,
    /^\s+(?:expected|actual|operator|error|stack|code|message|location): /.source,
    /^\S*[\w)]\.[a-z]{1,4}:\d+: \w+(?:Error|Exception)?$/.source,
  ].join('|'),
);

export const ASSERTION_DETAILS: NearbyLines = { pattern: DETAIL_PATTERN, lines: 8, within: 24 };
export const OWN_STACK_FRAMES: NearbyLines = { pattern: OWN_FRAME_PATTERN, lines: 3, within: 16 };
export const NEXT_LINE: NearbyLines = { pattern: /\S/, lines: 1, within: 2 };
export const NEXT_LINES: NearbyLines = { pattern: /\S/, lines: 3, within: 5 };
export const INDENTED_LINES: NearbyLines = { pattern: /^\s+\S/, lines: 4, within: 7 };

/** Where a compiler points: the line of source, the caret under it, what it adds. */
export const SOURCE_POINTER: NearbyLines = {
  pattern:
    /^\s*(?:-->|╭|,-|\d* *[|│] *\S|[~^]+|= (?:note|help): )|: note: |^\s+(?:symbol|location|required|found): /,
  lines: 4,
  within: 9,
};

/** In whose body, and from which file, as compilers say it before the message. */
export const COMPILER_CONTEXT: NearbyLines = {
  pattern:
    /: (?:In (?:member |static )?(?:function|constructor|destructor|lambda|instantiation)|At (?:top level|global scope))|^In file included from |^\s+from \S+:\d+|^# \S+$/,
  lines: 3,
  within: 3,
};

/** The file that a list of findings is about stands alone on a line above them. */
export const FILE_ABOVE: NearbyLines = {
  pattern: /^(?:\/|\.{0,2}\/|[\w@.-]+\/|[A-Z]:\\)?[\w@.-][\w@./\\-]*\.\w{1,8}:?$/,
  lines: 1,
  within: 40,
};
