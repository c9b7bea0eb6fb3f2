import { type CliCommand, defineCommand } from '../command.ts';
import { type Flag, toFlagName, usageError } from '../flags.ts';
import { print } from '../print.ts';

export const COMPLETION_SHELLS = ['bash', 'zsh', 'fish'] as const;
export type ShellName = (typeof COMPLETION_SHELLS)[number];

export type NamedCommands = readonly (readonly [string, CliCommand])[];

/** Renders a completion script from the command tables. The script starts no program. */
export function renderCompletion(shell: ShellName, commands: NamedCommands): string {
  return { bash: renderBash, zsh: renderZsh, fish: renderFish }[shell](commands);
}

function renderBash(commands: NamedCommands): string {
  const names = commands.map(([name]) => name).join(' ');
  const cases = commands.map(
    ([name, command]) => `    ${name}) words=${singleQuote(completionWords(command).join(' '))} ;;`,
  );
  const values = choiceFlags(commands).map(
    ([option, choices]) => `    ${option}) words=${singleQuote(choices.join(' '))} ;;`,
  );
  return `# nacre completion for bash: eval "$(nacre completion bash)"
_nacre() {
  local word=\${COMP_WORDS[COMP_CWORD]} words=
  COMPREPLY=()
  case \${COMP_WORDS[COMP_CWORD-1]} in
    --cwd|-C) mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
${values.join('\n')}
  esac
  [[ $words ]] || case \${COMP_CWORD}:\${COMP_WORDS[1]} in
    1:*) words=${singleQuote(`${names} --help --version`)} ;;
${cases.join('\n').replaceAll(/^ {4}/gm, '    *:')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _nacre nacre
`;
}

function renderZsh(commands: NamedCommands): string {
  const names = commands.map(([name, { summary }]) => singleQuote(`${name}:${summary}`));
  const cases = commands.map(([name, { flags, verbs = {} }]) => {
    const specs = Object.entries(flags).flatMap(([flag, row]) => zshSpecs(flag, row).map(singleQuote));
    const actions =
      Object.keys(verbs).length === 0 ? [] : [singleQuote(`1:action:(${Object.keys(verbs).join(' ')})`)];
    return `    ${name}) _arguments -s ${[...specs, ...actions, singleQuote('*:file:_files')].join(' ')} ;;`;
  });
  return `#compdef nacre
# nacre completion for zsh: nacre completion zsh > "\${fpath[1]}/_nacre"
_nacre() {
  local -a commands=(${names.join(' ')})
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local name=$words[2]
  shift words
  (( CURRENT-- ))
  case $name in
${cases.join('\n')}
  esac
}
if [[ $funcstack[1] == _nacre ]]; then _nacre "$@"; else compdef _nacre nacre; fi
`;
}

function zshSpecs(name: string, { value, help, choices, join, short }: Flag): string[] {
  const text = help.replaceAll(/[[\]:]/g, (found) => `\\${found}`);
  const action = choices === undefined ? '' : `(${choices.join(' ')})`;
  const after = value === undefined ? '' : `:value:${name === 'cwd' ? '_files -/' : action}`;
  const options = [toFlagName(name), ...(short === undefined ? [] : [`-${short}`])];
  return options.map((option) => `${join === undefined ? '' : '*'}${option}[${text}]${after}`);
}

function renderFish(commands: NamedCommands): string {
  const lines = commands.flatMap(([name, { summary, flags, verbs = {} }]) => {
    const here = `complete -c nacre -n ${singleQuote(`__fish_seen_subcommand_from ${name}`)}`;
    return [
      `complete -c nacre -n __fish_use_subcommand -f -a ${name} -d ${singleQuote(summary)}`,
      ...Object.entries(verbs).map(([verb, help]) => `${here} -a ${verb} -d ${singleQuote(help)}`),
      ...Object.entries(flags).map(([flag, row]) => `${here} ${fishFlag(flag, row)}`),
    ];
  });
  return `# nacre completion for fish: nacre completion fish | source\n${lines.join('\n')}\n`;
}

function fishFlag(name: string, { value, help, choices, short }: Flag): string {
  const letter = short === undefined ? '' : `-s ${short} `;
  const takes = value === undefined ? '' : ' -r';
  const words = choices === undefined ? '' : ` -f -a ${singleQuote(choices.join(' '))}`;
  return `${letter}-l ${toFlagName(name).slice(2)}${takes}${words} -d ${singleQuote(help)}`;
}

function completionWords({ flags, verbs = {} }: CliCommand): string[] {
  return [...Object.keys(verbs), ...Object.keys(flags).map(toFlagName), '--help'];
}

function choiceFlags(commands: NamedCommands): (readonly [string, readonly string[]])[] {
  const all = commands.flatMap(([, { flags }]) => Object.entries(flags));
  const found = all.flatMap(([name, { choices }]) => (choices ? [[toFlagName(name), choices] as const] : []));
  return [...new Map(found)];
}

function singleQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export const command: CliCommand = defineCommand({
  usage: 'completion <bash|zsh|fish>',
  summary: 'Print a completion script for your shell',
  flags: {},
  verbs: {
    bash: 'For bash',
    zsh: 'For zsh',
    fish: 'For fish',
  },
  examples: [
    'eval "$(nacre completion bash)"',
    'nacre completion zsh > "${fpath[1]}/_nacre"',
    'nacre completion fish | source',
  ],
  act: async ({ words }, commands) => {
    const shell = COMPLETION_SHELLS.find((name) => name === words[0]);
    if (shell === undefined || words.length > 1)
      throw usageError(`completion takes one of ${COMPLETION_SHELLS.join(', ')}.`);
    const loaded = commands.map(async ({ name, load }) => [name, (await load()).command] as const);
    print(renderCompletion(shell, await Promise.all(loaded)));
    return 0;
  },
});
