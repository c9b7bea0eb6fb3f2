import { openSessions, type SessionInfo, type Sessions } from '../../../index.ts';
import { resolveStateDirectory } from '../../config/settings.ts';
import { replaceControlCharacters } from '../../rendering/printable.ts';
import { renderAge, renderTable } from '../../rendering/text-table.ts';
import { type CliCommand, defineCommand } from '../command.ts';
import { rejectArguments, switchFlag, usageError } from '../flags.ts';
import { print } from '../print.ts';

const VERBS = {
  list: 'List sessions, most recently changed first',
  show: 'Show the directory of a session and the names it defines',
  reset: 'Give a session a new shell; its jobs, artifacts and files stay',
} as const;

export const command: CliCommand = defineCommand({
  usage: 'sessions [list|show|reset] [options] [<name>]',
  summary: 'List, show and reset sessions',
  flags: { json: switchFlag('Print JSON') },
  verbs: VERBS,
  notes: ['A session keeps its shell state between calls. nacre run --session <name> uses one.'],
  examples: ["nacre run --session build 'cd app; export MODE=test'", 'nacre sessions show build'],
  act: async ({ flags: { json = false }, words }) => {
    const [verb = 'list', ...rest] = words;
    const sessions = openSessions({ stateDirectory: resolveStateDirectory() });
    if (verb === 'list') return list(sessions, { json, rest });
    if (verb !== 'show' && verb !== 'reset')
      throw usageError(`sessions takes ${Object.keys(VERBS).join(', ')}, got ${JSON.stringify(verb)}.`);
    const [name, ...others] = rest;
    if (name === undefined || others.length > 0) throw usageError(`sessions ${verb} takes one name.`);
    if (verb === 'reset') sessions.reset(name);
    const info = sessions.show(name);
    if (json) print(`${JSON.stringify(info)}\n`);
    else if (verb === 'show') print(`${renderInfo(info)}\n`);
    return 0;
  },
});

function list(sessions: Sessions, { json, rest }: { json: boolean; rest: readonly string[] }): number {
  rejectArguments('sessions list', rest);
  const all = sessions.list();
  if (json) print(`${JSON.stringify(all)}\n`);
  else if (all.length > 0) print(`${renderTable([HEADINGS, ...all.map(toRow)])}\n`);
  return 0;
}

const HEADINGS = ['SESSION', 'CHANGED', 'VARIABLES', 'FUNCTIONS', 'DIRECTORY'] as const;

function toRow({ session, changedAt, variables, functions, cwd }: SessionInfo): string[] {
  const changed = changedAt === null ? '-' : renderAge(changedAt);
  return [session, changed, String(variables.length), String(functions.length), cwd ?? '-'].map(
    replaceControlCharacters,
  );
}

function renderInfo(info: SessionInfo): string {
  const { session, cwd, changedAt, variables, unset, functions, aliases, options, umask, directory } = info;
  const list = (names: readonly string[]): string => (names.length === 0 ? '-' : names.join(' '));
  return renderTable(
    [
      ['session', session],
      ['directory', cwd ?? 'directory of the caller'],
      ['changed', changedAt === null ? 'never' : `${renderAge(changedAt)} ago`],
      ['variables', list(variables)],
      ['unset', list(unset)],
      ['functions', list(functions)],
      ['aliases', list(aliases)],
      ['options', options.length === 0 ? '-' : options.join('; ')],
      ['umask', umask ?? '-'],
      ['stored in', directory],
    ].map((row) => row.map(replaceControlCharacters)),
  );
}
