import type { Command } from './command.ts';
import { type Flag, toOption } from './flag.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type ShellName = (typeof SHELLS)[number];

export type Commands = readonly (readonly [string, Command])[];

/** A completion script for a shell, made from the tables that parse. It starts no program when it is used. */
export function renderCompletion(shell: ShellName, commands: Commands): string {
  return { bash: renderBash, zsh: renderZsh, fish: renderFish }[shell](commands);
}

function renderBash(commands: Commands): string {
  const names = commands.map(([name]) => name).join(' ');
  const cases = commands.map(
    ([name, command]) => `    ${name}) words=${quote(wordsOf(command).join(' '))} ;;`,
  );
  const values = choiceFlags(commands).map(
    ([option, choices]) => `    ${option}) words=${quote(choices.join(' '))} ;;`,
  );
  return `# nacre completion for bash: eval "$(nacre completion bash)"
_nacre() {
  local word=\${COMP_WORDS[COMP_CWORD]} words=
  COMPREPLY=()
  case \${COMP_WORDS[COMP_CWORD-1]} in
    --cwd) mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
${values.join('\n')}
  esac
  [[ $words ]] || case \${COMP_CWORD}:\${COMP_WORDS[1]} in
    1:*) words=${quote(`${names} --help --version`)} ;;
${cases.join('\n').replaceAll(/^ {4}/gm, '    *:')}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _nacre nacre
`;
}

function renderZsh(commands: Commands): string {
  const names = commands.map(([name, { summary }]) => quote(`${name}:${summary}`));
  const cases = commands.map(([name, { flags, verbs = {} }]) => {
    const specs = Object.entries(flags).map(([flag, row]) => quote(zshSpec(flag, row)));
    const actions =
      Object.keys(verbs).length === 0 ? [] : [quote(`1:action:(${Object.keys(verbs).join(' ')})`)];
    return `    ${name}) _arguments -s ${[...specs, ...actions, quote('*:file:_files')].join(' ')} ;;`;
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

function zshSpec(name: string, { value, help, choices, join }: Flag): string {
  const text = help.replaceAll(/[[\]:]/g, (found) => `\\${found}`);
  const action = choices === undefined ? '' : `(${choices.join(' ')})`;
  const after = value === undefined ? '' : `:value:${name === 'cwd' ? '_files -/' : action}`;
  return `${join === undefined ? '' : '*'}${toOption(name)}[${text}]${after}`;
}

function renderFish(commands: Commands): string {
  const lines = commands.flatMap(([name, { summary, flags, verbs = {} }]) => {
    const here = `complete -c nacre -n ${quote(`__fish_seen_subcommand_from ${name}`)}`;
    return [
      `complete -c nacre -n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}`,
      ...Object.entries(verbs).map(([verb, help]) => `${here} -a ${verb} -d ${quote(help)}`),
      ...Object.entries(flags).map(([flag, row]) => `${here} ${fishFlag(flag, row)}`),
    ];
  });
  return `# nacre completion for fish: nacre completion fish | source\n${lines.join('\n')}\n`;
}

function fishFlag(name: string, { value, help, choices }: Flag): string {
  const takes = value === undefined ? '' : ' -r';
  const words = choices === undefined ? '' : ` -f -a ${quote(choices.join(' '))}`;
  return `-l ${toOption(name).slice(2)}${takes}${words} -d ${quote(help)}`;
}

function wordsOf({ flags, verbs = {} }: Command): string[] {
  return [...Object.keys(verbs), ...Object.keys(flags).map(toOption), '--help'];
}

function choiceFlags(commands: Commands): (readonly [string, readonly string[]])[] {
  const all = commands.flatMap(([, { flags }]) => Object.entries(flags));
  const found = all.flatMap(([name, { choices }]) => (choices ? [[toOption(name), choices] as const] : []));
  return [...new Map(found)];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
