import type { CliCommand } from './command.ts';
import { type Flags, toFlagName } from './flags.ts';

const HELP_ROW = ['-h, --help', 'Show this help'] as const;

/** Renders the help of one command from its table. */
export function renderCommandHelp({
  usage,
  summary,
  verbs,
  flags,
  notes = [],
  examples,
}: CliCommand): string {
  return joinSections([
    `Usage: nacre ${usage}`,
    summary,
    ...(verbs === undefined ? [] : [renderHelpTable('Actions:', Object.entries(verbs))]),
    renderHelpTable('Options:', [...flagRows(flags), HELP_ROW]),
    ...(notes.length === 0 ? [] : [notes.join('\n')]),
    ['Examples:', ...examples.map((example) => `  ${example}`)].join('\n'),
  ]);
}

/** Renders the main help. */
export function renderMainHelp(commands: readonly (readonly [string, string])[]): string {
  return joinSections([
    'Usage: nacre <command> [options]',
    'Run shell commands for a language model',
    renderHelpTable('Commands:', commands),
    renderHelpTable('Options:', [HELP_ROW, ['-V, --version', 'Show the version']]),
    'See nacre <command> --help for its options.',
    ['Examples:', "  nacre run 'npm test' --timeout 300", "  nacre run 'make' --json | jq .run.status"].join(
      '\n',
    ),
  ]);
}

function flagRows(flags: Flags): (readonly [string, string])[] {
  return Object.entries(flags).map(([name, { value, help, short }]) => {
    const option = `${short === undefined ? '' : `-${short}, `}${toFlagName(name)}`;
    return [value === undefined ? option : `${option} ${value}`, help];
  });
}

function renderHelpTable(title: string, rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return [title, ...rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`)].join('\n');
}

function joinSections(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}
