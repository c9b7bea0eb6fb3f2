import type { EvaluatedCall, HandlerContext } from '../values/command-evaluation.ts';
import type { Field } from '../values/field.ts';
import { toLiteral } from '../values/field.ts';
import { enterFrame } from './unwrap-command.ts';

/** What these are given is text, patterns or names: nothing of it is run. */
const TEXT_ONLY_PROGRAMS: ReadonlySet<string> = new Set([
  ...[
    'echo',
    'printf',
    'cat',
    'ls',
    'test',
    '[',
    ':',
    'true',
    'false',
    'type',
    'which',
    'whereis',
    'whatis',
    'apropos',
  ],
  ...[
    'man',
    'info',
    'help',
    'tldr',
    'cheat',
    'hash',
    'alias',
    'unalias',
    'complete',
    'history',
    'fc',
    'bind',
    'enable',
  ],
  ...[
    'grep',
    'egrep',
    'fgrep',
    'zgrep',
    'rg',
    'ripgrep',
    'ag',
    'ack',
    'pgrep',
    'pkill',
    'killall',
    'pidof',
    'ps',
    'top',
  ],
  ...[
    'sed',
    'tr',
    'cut',
    'sort',
    'uniq',
    'wc',
    'head',
    'tail',
    'tee',
    'diff',
    'cmp',
    'comm',
    'basename',
    'dirname',
  ],
  ...[
    'expr',
    'seq',
    'jq',
    'yq',
    'curl',
    'wget',
    'http',
    'gh',
    'glab',
    'hub',
    'tig',
    'lazygit',
    'code',
    'vim',
    'nano',
  ],
  ...[
    'apt',
    'apt-get',
    'aptitude',
    'dnf',
    'yum',
    'apk',
    'pacman',
    'brew',
    'port',
    'snap',
    'pip',
    'pip3',
    'gem',
    'cargo',
  ],
  ...[
    'npm',
    'pnpm',
    'yarn',
    'bun',
    'go',
    'make',
    'gmake',
    'just',
    'task',
    'mkdir',
    'touch',
    'cp',
    'mv',
    'ln',
    'install',
  ],
  ...[
    'chmod',
    'chown',
    'chgrp',
    'stat',
    'file',
    'du',
    'df',
    'tar',
    'zip',
    'unzip',
    'rsync',
    'scp',
    'logger',
    'wall',
  ],
  ...[
    'notify-send',
    'say',
    'figlet',
    'cowsay',
    'toilet',
    'lolcat',
    'banner',
    'espeak',
    'fortune',
    'dialog',
    'whiptail',
  ],
  ...[
    'zenity',
    'gum',
    'read',
    'set',
    'export',
    'declare',
    'local',
    'return',
    'exit',
    'break',
    'continue',
    'wait',
    'kill',
  ],
  ...[
    'docker',
    'podman',
    'kubectl',
    'aws',
    'gcloud',
    'az',
    'terraform',
    'hg',
    'svn',
    'jj',
    'p4',
    'cvs',
    'dvc',
    'nacre',
  ],
  ...[
    'adduser',
    'useradd',
    'systemctl',
    'service',
    'crontab',
    'update-alternatives',
    'dpkg',
    'rpm',
    'stow',
    'shellcheck',
  ],
]);

const COMMAND_WORD = /^(?:\S*\/)?(?:rm|git|sudo|bash|sh)$/;

/**
 * A program nobody knows may run the words it is given, as `retry` and `firejail` do: where a command stands there word by word,
 * it is looked at. A text in quotes is one word, and no command.
 */
export function performEmbeddedCommand(name: string, call: EvaluatedCall, machine: HandlerContext): void {
  if (TEXT_ONLY_PROGRAMS.has(name)) return;
  const at = call.argv.findIndex((word, index) => index > 0 && isCommandWord(word));
  if (at < 0 || at === call.argv.length - 1) return;
  const state = call.frame.state.fork();
  const frame = { ...enterFrame(call.frame, name), state };
  machine.perform({ ...call, frame, argv: call.argv.slice(at), plain: true });
  state.end();
}

function isCommandWord(word: Field): boolean {
  return COMMAND_WORD.test(toLiteral(word) ?? '');
}

/** The same by the text of a word, before anything is evaluated. */
export function mayRunArguments(name: string, words: readonly string[]): boolean {
  return !TEXT_ONLY_PROGRAMS.has(name) && words.some((word) => COMMAND_WORD.test(word));
}
