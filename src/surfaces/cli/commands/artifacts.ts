import { type ArtifactInfo, type Artifacts, openArtifacts } from '../../../index.ts';
import { loadSettings } from '../../config/load-settings.ts';
import { settingValue } from '../../config/setting-value.ts';
import { renderSize } from '../../table/render-size.ts';
import { oneLine, renderAge, renderTable } from '../../table/render-table.ts';
import { type Command, defineCommand } from '../args/command.ts';
import {
  count,
  type Flag,
  type FlagValues,
  range,
  text,
  toggle,
  toOption,
  usageError,
} from '../args/flag.ts';
import { currentDirectory } from '../current-directory.ts';
import { complain, print } from '../print.ts';
import { resolveStateDirectory } from '../state-directory.ts';
import { search, show } from './read-artifact.ts';

const FLAGS = {
  session: text('<name>', 'Only runs of this session (default: all)'),
  last: count('<n>', 'list: only the newest so many (default: 20)'),
  lines: range('show: only these lines'),
  bytes: range('show: only these bytes, as they are, counted from 1'),
  head: count('<lines>', 'show: only the first lines'),
  tail: count('<lines>', 'show: only the last lines'),
  regex: toggle('search: the text is a regular expression'),
  context: count('<lines>', 'search: show so many lines around each'),
  limit: count('<n>', 'search: stop after so many lines (default: 100)'),
  json: toggle('Print JSON'),
} satisfies Record<string, Flag>;

type ArtifactFlags = FlagValues<typeof FLAGS>;
type FlagName = keyof typeof FLAGS;

interface Verb {
  readonly help: string;
  /** Besides `--session`. */
  readonly flags: readonly FlagName[];
  /** What it takes, for the error. */
  readonly takes: string;
  readonly words: { readonly min: number; readonly max: number };
  act(artifacts: Artifacts, words: readonly string[], flags: ArtifactFlags): number | Promise<number>;
}

const MANY = Number.POSITIVE_INFINITY;

const VERBS: Readonly<Record<string, Verb>> = {
  list: {
    help: 'Runs with output, newest first',
    flags: ['last', 'json'],
    takes: 'no words',
    words: { min: 0, max: 0 },
    act: list,
  },
  show: {
    help: 'Print an output as it was, or a part of it as text; <id>/err is stderr kept apart',
    flags: ['lines', 'bytes', 'head', 'tail', 'json'],
    takes: 'one id',
    words: { min: 1, max: 1 },
    act: (artifacts, [id = ''], flags) => show(artifacts.open(id), flags),
  },
  search: {
    help: 'Print the lines that contain a text',
    flags: ['regex', 'context', 'limit', 'json'],
    takes: 'an id and a text',
    words: { min: 2, max: 2 },
    act: (artifacts, [id = '', wanted = ''], flags) => search(artifacts.open(id), wanted, flags),
  },
  path: {
    help: 'Print the files that hold an output',
    flags: [],
    takes: 'one id',
    words: { min: 1, max: 1 },
    act: paths,
  },
  rm: {
    help: 'Forget runs and their output',
    flags: [],
    takes: 'one id or more',
    words: { min: 1, max: MANY },
    act: remove,
  },
  sweep: {
    help: 'Forget what is too old or too much',
    flags: ['json'],
    takes: 'no words',
    words: { min: 0, max: 0 },
    act: sweep,
  },
};

export const command: Command = defineCommand({
  usage: 'artifacts [list|show|search|path|rm|sweep] [options] [<id>]',
  summary: 'List, show, search and remove the full output of runs',
  flags: FLAGS,
  verbs: Object.fromEntries(Object.entries(VERBS).map(([name, { help }]) => [name, help])),
  examples: ['nacre artifacts show <id> --tail 100', 'nacre artifacts search <id> error --context 2'],
  act: async ({ flags, words: [name = 'list', ...words] }) => {
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

function checkWords(name: string, { words: { min, max }, takes }: Verb, words: readonly string[]): void {
  if (words.length < min || words.length > max) throw usageError(`artifacts ${name} takes ${takes}.`);
}

function checkFlags(name: string, verb: Verb, flags: ArtifactFlags): void {
  const allowed: readonly string[] = ['session', ...verb.flags];
  const wrong = Object.keys(flags).find((flag) => !allowed.includes(flag));
  if (wrong !== undefined) throw usageError(`${toOption(wrong)} is not for artifacts ${name}.`);
}

function list(artifacts: Artifacts, _words: readonly string[], flags: ArtifactFlags): number {
  const found = artifacts.list().slice(0, flags.last ?? 20);
  if (flags.json) print(`${JSON.stringify(found)}\n`);
  else if (found.length > 0)
    print(`${renderTable([['ID', 'ENDED', 'SIZE', 'AGE', 'COMMAND'], ...found.map(toRow)])}\n`);
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
  return [id, how, renderSize(outBytes + errBytes), renderAge(startedAt), oneLine(label)];
}

function paths(artifacts: Artifacts, [id = '']: readonly string[]): number {
  const files = artifacts.paths(id);
  print(files.map((file) => `${file}\n`).join(''));
  return files.length > 0 ? 0 : 1;
}

function remove(artifacts: Artifacts, ids: readonly string[]): number {
  const running = ids.filter((id) => !artifacts.remove(id));
  for (const id of running) complain(`${id} is still running.`);
  return running.length === 0 ? 0 : 1;
}

async function sweep(artifacts: Artifacts, _words: readonly string[], flags: ArtifactFlags): Promise<number> {
  const settings = loadSettings({ cwd: currentDirectory(), env: process.env });
  const report = await artifacts.sweep({
    maxAgeMs: Number(settingValue(settings, 'storage.maxAgeDays')) * 86_400_000,
    maxTotalBytes: Number(settingValue(settings, 'storage.maxTotalBytes')),
  });
  const { removed, removedBytes, kept, keptBytes } = report;
  const words = `${removed} runs removed (${renderSize(removedBytes)}), ${kept} kept (${renderSize(keptBytes)})`;
  print(flags.json ? `${JSON.stringify(report)}\n` : `${words}\n`);
  return 0;
}
