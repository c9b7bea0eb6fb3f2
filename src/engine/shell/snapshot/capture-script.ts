import { quote } from '../../text/quote.ts';
import { renderDump, renderLastDump } from '../state/dump.ts';

/** Where the two pictures of the shell go. */
export interface CaptureFiles {
  readonly before: string;
  readonly after: string;
}

/**
 * What an interactive bash reads in place of its own files: a picture of itself, then what a login shell reads, then
 * another picture. Whatever ends it early (`exit`, `set -e`, an `exec` of another shell) leaves the picture of that moment.
 */
export function renderCapture({ before, after }: CaptureFiles): string {
  const last = `${PLAIN}\n${renderLastDump({ file: after, functions: true })}`;
  // Before both pictures: what it switches beside is in neither then.
  return `${PLAIN}
${renderDump({ file: before, functions: true })}
builtin shopt -s expand_aliases
builtin trap -- ${quote(last)} EXIT
exec() { if (($#)); then builtin exit 0; fi; }
if [[ -r /etc/profile ]]; then . /etc/profile; fi
if [[ -r ~/.bash_profile ]]; then . ~/.bash_profile
elif [[ -r ~/.bash_login ]]; then . ~/.bash_login
elif [[ -r ~/.profile ]]; then . ~/.profile
elif [[ -r ~/.bashrc ]]; then . ~/.bashrc
fi
${PLAIN}
builtin unset -f exec
{ builtin set +xv; } 2>/dev/null
${last}
builtin trap - EXIT
builtin exit 0
`;
}

/**
 * Makes our words mean what they mean, whatever the user's files have made of them. No function goes before `unset` in the
 * mode of this variable; an alias is not one when it is quoted; and once they are off, none is for the lines that follow.
 */
const PLAIN = `POSIXLY_CORRECT=
\\unset -f unset builtin enable
\\enable builtin alias declare dirs exit local mapfile printf set shopt trap umask unset
\\unset -v POSIXLY_CORRECT
\\builtin shopt -u expand_aliases`;
