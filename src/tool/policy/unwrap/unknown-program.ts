import { wordList } from '../../../engine/text/word-list.ts';
import type { EvaluatedCall, HandlerContext } from '../values/command-evaluation.ts';
import { type Field, toLiteral } from '../values/field.ts';
import { enterFrame } from './unwrap-command.ts';

/** Programs whose arguments are text, patterns or names and are never run. */
const TEXT_ONLY_PROGRAMS: ReadonlySet<string> = new Set(
  wordList(`
  echo printf cat ls test [ : true false type which whereis whatis apropos man info help tldr cheat hash
  alias unalias complete history fc bind enable grep egrep fgrep zgrep rg ripgrep ag ack pgrep pkill
  killall pidof ps top sed tr cut sort uniq wc head tail tee diff cmp comm basename dirname expr seq jq yq
  curl wget http gh glab hub tig lazygit code vim nano apt apt-get aptitude dnf yum apk pacman brew port
  snap pip pip3 gem cargo npm pnpm yarn bun go make gmake just task mkdir touch cp mv ln install chmod
  chown chgrp stat file du df tar zip unzip rsync scp logger wall notify-send say figlet cowsay toilet
  lolcat banner espeak fortune dialog whiptail zenity gum read set export declare local return exit break
  continue wait kill docker podman kubectl aws gcloud az terraform hg svn jj p4 cvs dvc nacre adduser
  useradd systemctl service crontab update-alternatives dpkg rpm stow shellcheck
`),
);

const COMMAND_WORD = /^(?:\S*\/)?(?:rm|git|sudo|bash|sh)$/;

/**
 * Evaluates a command in the arguments of an unknown program, since it may run its arguments as `retry` and
 * `firejail` do. A quoted text is one word and not treated as a command.
 */
export function performEmbeddedCommand(name: string, call: EvaluatedCall, context: HandlerContext): void {
  if (TEXT_ONLY_PROGRAMS.has(name)) return;
  const at = call.argv.findIndex((word, index) => index > 0 && isCommandWord(word));
  if (at < 0 || at === call.argv.length - 1) return;
  const state = call.frame.state.fork();
  const frame = { ...enterFrame(call.frame, name), state };
  context.perform({ ...call, frame, argv: call.argv.slice(at), plain: true });
  state.end();
}

function isCommandWord(word: Field): boolean {
  return COMMAND_WORD.test(toLiteral(word) ?? '');
}

/** Whether an unknown program may run a command in its arguments, by the literal text of the words. */
export function mayRunArguments(name: string, words: readonly string[]): boolean {
  return !TEXT_ONLY_PROGRAMS.has(name) && words.some((word) => COMMAND_WORD.test(word));
}
