import {
  type Artifact,
  type ArtifactInfo,
  type Artifacts,
  type ArtifactText,
  openArtifacts,
} from '../../../index.ts';
import { currentDirectory } from '../../config/current-directory.ts';
import { loadSettings, resolveStateDirectory, settingOrDefault } from '../../config/settings.ts';
import { renderByteSize } from '../../rendering/amounts.ts';
import { renderAge, renderTable, toOneLine } from '../../rendering/text-table.ts';
import { type CliCommand, defineCommand } from '../command.ts';
import {
  countFlag,
  type Flag,
  type FlagRange,
  type FlagValues,
  rangeFlag,
  switchFlag,
  textFlag,
  toFlagName,
  usageError,
} from '../flags.ts';
import { print, printError, writeFully } from '../print.ts';

export interface PrintFlags {
  readonly lines?: FlagRange;
  readonly bytes?: FlagRange;
  readonly head?: number;
  readonly tail?: number;
  readonly json?: boolean;
}

/** Prints an artifact unchanged, or a range of its lines as text. */
export async function printArtifact(artifact: Artifact, flags: PrintFlags): Promise<number> {
  const { lines, bytes, head, tail } = flags;
  if ([lines, bytes, head, tail].filter((part) => part !== undefined).length > 1) {
    throw usageError('--lines, --bytes, --head and --tail cannot be combined.');
  }
  if (lines ?? head ?? tail) return printLines(artifact, flags);
  if (flags.json) throw usageError('--json needs --lines, --head or --tail.');
  return printRawBytes(artifact, bytes ?? { from: 1, to: artifact.totalBytes });
}

/** Reads in chunks, so that memory use does not depend on the size. */
async function printRawBytes(artifact: Artifact, { from, to }: FlagRange): Promise<number> {
  for (const gap of artifact.gaps) printError(`Bytes ${gap.from + 1} to ${gap.to} were not stored.`);
  const end = Math.min(to, artifact.totalBytes);
  for (let at = from - 1; at < end; ) {
    const piece = await artifact.bytes({ from: at, to: end });
    if (piece.bytes.length === 0) break;
    writeFully(1, piece.bytes);
    at = piece.to;
  }
  return 0;
}

async function printLines(artifact: Artifact, { lines, head, tail, json }: PrintFlags): Promise<number> {
  const range = lines ?? { from: 1, to: head ?? 0 };
  const excerpt = tail === undefined ? await artifact.lines(range) : await artifact.tail(tail);
  return printExcerpt(excerpt, json);
}

export interface SearchFlags {
  readonly regex?: boolean;
  readonly context?: number;
  readonly limit?: number;
  readonly json?: boolean;
}

/** Prints matching lines; like grep, the exit status is 1 without a match. */
export async function printMatches(artifact: Artifact, text: string, flags: SearchFlags): Promise<number> {
  const { regex, context = 0, limit = 100, json } = flags;
  const matches = await artifact.search({ pattern: regex ? parsePattern(text) : text, context, limit });
  printExcerpt(matches, json);
  return matches.found.length > 0 ? 0 : 1;
}

function parsePattern(text: string): RegExp {
  try {
    return new RegExp(text, 'u');
  } catch (error) {
    throw usageError(error instanceof Error ? `${error.message}.` : String(error));
  }
}

function printExcerpt(excerpt: ArtifactText, json: boolean | undefined): number {
  if (json) {
    print(`${JSON.stringify(excerpt)}\n`);
    return 0;
  }
  print(excerpt.text);
  for (const note of excerpt.notes) printError(note);
  return 0;
}

const FLAGS = {
  session: textFlag('<name>', 'Only runs of this session (default: all)'),
  last: countFlag('<n>', 'list: show the newest <n> runs (default: 20)'),
  lines: rangeFlag('show: only these lines'),
  bytes: rangeFlag('show: only these raw bytes, counted from 1'),
  head: countFlag('<lines>', 'show: only the first lines'),
  tail: countFlag('<lines>', 'show: only the last lines'),
  regex: switchFlag('search: the text is a regular expression'),
  context: countFlag('<lines>', 'search: lines of context around each match'),
  limit: countFlag('<n>', 'search: stop after <n> matches (default: 100)'),
  json: switchFlag('Print JSON'),
} satisfies Record<string, Flag>;

type ArtifactFlags = FlagValues<typeof FLAGS>;
type FlagName = keyof typeof FLAGS;

interface Verb {
  readonly help: string;
  /** Accepted options besides `--session`. */
  readonly flags: readonly FlagName[];
  /** The expected arguments, for the error. */
  readonly takes: string;
  readonly words: { readonly min: number; readonly max: number };
  act(artifacts: Artifacts, words: readonly string[], flags: ArtifactFlags): number | Promise<number>;
}

const UNLIMITED = Number.POSITIVE_INFINITY;

const VERBS: Readonly<Record<string, Verb>> = {
  list: {
    help: 'List runs with output, newest first',
    flags: ['last', 'json'],
    takes: 'no arguments',
    words: { min: 0, max: 0 },
    act: list,
  },
  show: {
    help: 'Print the output unchanged, or a part of it as text; <id>/err is a separate stderr',
    flags: ['lines', 'bytes', 'head', 'tail', 'json'],
    takes: 'one id',
    words: { min: 1, max: 1 },
    act: (artifacts, [id = ''], flags) => printArtifact(artifacts.open(id), flags),
  },
  search: {
    help: 'Print the lines that contain a text',
    flags: ['regex', 'context', 'limit', 'json'],
    takes: 'an id and a text',
    words: { min: 2, max: 2 },
    act: (artifacts, [id = '', wanted = ''], flags) => printMatches(artifacts.open(id), wanted, flags),
  },
  path: {
    help: 'Print the paths of the output files',
    flags: [],
    takes: 'one id',
    words: { min: 1, max: 1 },
    act: paths,
  },
  rm: {
    help: 'Delete runs and their output',
    flags: [],
    takes: 'one id or more',
    words: { min: 1, max: UNLIMITED },
    act: remove,
  },
  sweep: {
    help: 'Delete runs beyond the age and size limits',
    flags: ['json'],
    takes: 'no arguments',
    words: { min: 0, max: 0 },
    act: sweep,
  },
};

export const command: CliCommand = defineCommand({
  usage: 'artifacts [list|show|search|path|rm|sweep] [options] [<id>]',
  summary: 'List, show, search and remove the full output of runs',
  flags: FLAGS,
  verbs: Object.fromEntries(Object.entries(VERBS).map(([name, { help }]) => [name, help])),
  notes: ['nacre artifacts <id> is short for nacre artifacts show <id>.'],
  examples: ['nacre artifacts <id> --tail 100', 'nacre artifacts search <id> error --context 2'],
  act: async ({ flags, words: given }) => {
    const [name, ...words] = withAction(given);
    const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
    if (verb === undefined) {
      throw usageError(`artifacts takes ${Object.keys(VERBS).join(', ')}, got ${JSON.stringify(name)}.`);
    }
    checkWords(name, verb, words);
    checkFlags(name, verb, flags);
    const stateDirectory = resolveStateDirectory();
    return verb.act(openArtifacts({ stateDirectory, session: flags.session ?? null }), words, flags);
  },
});

/** The id of a run, or the URL that results show. */
const ARTIFACT_NAME = /^(?:artifact:\/\/.*|[0-9a-z]{14,16}(?:\/err)?)$/;

/** Without an action, an id shows its output, and no argument lists the runs. */
function withAction([first, ...more]: readonly string[]): readonly [string, ...string[]] {
  if (first === undefined) return ['list'];
  return ARTIFACT_NAME.test(first) ? ['show', first, ...more] : [first, ...more];
}

function checkWords(name: string, { words: { min, max }, takes }: Verb, words: readonly string[]): void {
  if (words.length < min || words.length > max) throw usageError(`artifacts ${name} takes ${takes}.`);
}

function checkFlags(name: string, verb: Verb, flags: ArtifactFlags): void {
  const allowed: readonly string[] = ['session', ...verb.flags];
  const wrong = Object.keys(flags).find((flag) => !allowed.includes(flag));
  if (wrong !== undefined) throw usageError(`${toFlagName(wrong)} is not for artifacts ${name}.`);
}

function list(artifacts: Artifacts, _words: readonly string[], flags: ArtifactFlags): number {
  const found = artifacts.list().slice(0, flags.last ?? 20);
  if (flags.json) print(`${JSON.stringify(found)}\n`);
  else if (found.length > 0)
    print(`${renderTable([['ID', 'EXIT', 'SIZE', 'AGE', 'COMMAND'], ...found.map(toRow)])}\n`);
  return 0;
}

function toRow({
  id,
  status,
  exitCode,
  signal,
  outBytes,
  errBytes,
  startedAt,
  label,
}: ArtifactInfo): string[] {
  const how = signal ?? (status === 'exited' ? String(exitCode) : status);
  return [id, how, renderByteSize(outBytes + errBytes), renderAge(startedAt), toOneLine(label)];
}

function paths(artifacts: Artifacts, [id = '']: readonly string[]): number {
  const files = artifacts.paths(id);
  print(files.map((file) => `${file}\n`).join(''));
  return files.length > 0 ? 0 : 1;
}

function remove(artifacts: Artifacts, ids: readonly string[]): number {
  const running = ids.filter((id) => !artifacts.remove(id));
  for (const id of running) printError(`${id} is still running.`);
  return running.length === 0 ? 0 : 1;
}

async function sweep(artifacts: Artifacts, _words: readonly string[], flags: ArtifactFlags): Promise<number> {
  const settings = loadSettings({ cwd: currentDirectory(), env: process.env });
  const report = await artifacts.sweep({
    maxAgeMs: Number(settingOrDefault(settings, 'storage.maxAgeMs')),
    maxTotalBytes: Number(settingOrDefault(settings, 'storage.maxTotalBytes')),
  });
  const { removed, removedBytes, kept, keptBytes } = report;
  const words = `${removed} runs removed (${renderByteSize(removedBytes)}), ${kept} kept (${renderByteSize(keptBytes)})`;
  print(flags.json ? `${JSON.stringify(report)}\n` : `${words}\n`);
  return 0;
}
