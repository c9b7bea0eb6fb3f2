import { type LogEntry, readLog } from '../../../index.ts';
import { resolveStateDirectory } from '../../config/settings.ts';
import { renderTable, toOneLine } from '../../rendering/text-table.ts';
import { type CliCommand, defineCommand } from '../command.ts';
import { countFlag, rejectArguments, switchFlag, textFlag } from '../flags.ts';
import { print } from '../print.ts';

export const command: CliCommand = defineCommand({
  usage: 'log [options]',
  summary: 'Show the log of commands',
  flags: {
    last: countFlag('<n>', 'Show the newest <n> commands (default: 20)'),
    session: textFlag('<name>', 'Only commands of this session (default: all)'),
    grep: textFlag('<text>', 'Only commands that contain this text'),
    failed: switchFlag('Only commands that failed'),
    refused: switchFlag('Only commands that were not run'),
    json: switchFlag('Print a JSON array'),
  },
  examples: ['nacre log --last 50', 'nacre log --failed --grep npm', "nacre log --json | jq '.[].command'"],
  act: async ({ flags, words }) => {
    rejectArguments('log', words);
    const { last = 20, session = null, grep = '' } = flags;
    const limit = grep === '' && !flags.failed && !flags.refused ? last : Number.POSITIVE_INFINITY;
    const wanted = (entry: LogEntry): boolean =>
      (entry.command ?? '').includes(grep) &&
      (!flags.failed || (entry.status !== null && entry.exitCode !== 0 && entry.verdict === 'allow')) &&
      (!flags.refused || entry.verdict !== 'allow');
    const all = readLog({ stateDirectory: resolveStateDirectory(), limit, session });
    const entries = all.filter(wanted).slice(-last);
    if (flags.json) print(`${JSON.stringify(entries)}\n`);
    else if (entries.length > 0) print(`${renderTable([HEADINGS, ...entries.map(toRow)])}\n`);
    return 0;
  },
});

const HEADINGS = ['TIME', 'EXIT', 'DURATION', 'RUN', 'COMMAND'] as const;

function toRow({
  time,
  status,
  exitCode,
  signal,
  durationMs,
  runId,
  command: text,
  error,
}: LogEntry): string[] {
  const how =
    status === null ? 'unknown' : (error ?? signal ?? (status === 'exited' ? String(exitCode) : status));
  const took = durationMs === null ? '-' : `${(durationMs / 1000).toFixed(1)}s`;
  return [localTime(time), how, took, runId ?? '-', toOneLine(text ?? '')];
}

function localTime(time: string): string {
  const date = new Date(time);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}
