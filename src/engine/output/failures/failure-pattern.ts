/** How much a line says about the cause of a failure, highest first. */
export type FailureRank = 'failure' | 'summary' | 'maybe' | 'warning';

/** Lines near a matching line that belong to it. */
export interface NearbyLines {
  readonly pattern: RegExp;
  /** Maximum number of such lines. */
  readonly lines: number;
  /** Number of lines to examine; other lines between them are skipped. */
  readonly within: number;
}

/** A kind of line with which tools report a result. */
export interface FailurePattern {
  readonly pattern: RegExp;
  /**
   * Alternatives in lower case, separated by `|`: a matching line contains at least one of them. `~` is any
   * digit, a leading newline the start of a line. The scan of raw bytes searches only for these words, so they
   * have at least four characters.
   */
  readonly words: string;
  /** The words are frequent, so the scan of raw bytes does not search for them. */
  readonly common?: true;
  /** @default 'failure' */
  readonly rank?: FailureRank;
  readonly before?: NearbyLines;
  readonly follow?: NearbyLines;
  /** Maximum number of consecutive lines of this kind that form one message. */
  readonly run?: number;
}

/** Stack frames of the program itself, not of libraries, test runners or the runtime. */
const OWN_FRAME_PATTERN =
  /^\s+(?:at (?!.*(?:node_modules|node:|\(native\)|<anonymous>$|java\.base\/|jdk\.internal|org\.junit|org\.gradle|org\.apache\.maven|sun\.reflect|java\.lang\.reflect))|from \S+:\d+|#\d+ +(?:0x[\da-f]+ )?in |\[0x)/;

/** Expected and actual values, and positions. */
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

/** Expected and actual values after a failed assertion. */
export const ASSERTION_DETAILS: NearbyLines = { pattern: DETAIL_PATTERN, lines: 8, within: 24 };
export const OWN_STACK_FRAMES: NearbyLines = { pattern: OWN_FRAME_PATTERN, lines: 3, within: 16 };
export const NEXT_LINE: NearbyLines = { pattern: /\S/, lines: 1, within: 2 };
export const NEXT_LINES: NearbyLines = { pattern: /\S/, lines: 3, within: 5 };
export const INDENTED_LINES: NearbyLines = { pattern: /^\s+\S/, lines: 4, within: 7 };

/** The source line, the caret below it, and notes of a compiler. */
export const SOURCE_POINTER: NearbyLines = {
  pattern:
    /^\s*(?:-->|╭|,-|\d* *[|│] *\S|[~^]+|= (?:note|help): )|: note: |^\s+(?:symbol|location|required|found): /,
  lines: 4,
  within: 9,
};

/** The function and include lines that compilers print before a message. */
export const COMPILER_CONTEXT: NearbyLines = {
  pattern:
    /: (?:In (?:member |static )?(?:function|constructor|destructor|lambda|instantiation)|At (?:top level|global scope))|^In file included from |^\s+from \S+:\d+|^# \S+$/,
  lines: 3,
  within: 3,
};

/** The file name that linters print above a list of findings. */
export const FILE_ABOVE: NearbyLines = {
  pattern: /^(?:\/|\.{0,2}\/|[\w@.-]+\/|[A-Z]:\\)?[\w@.-][\w@./\\-]*\.\w{1,8}:?$/,
  lines: 1,
  within: 40,
};
