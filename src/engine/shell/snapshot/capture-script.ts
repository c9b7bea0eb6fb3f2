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
  const last = renderLastDump({ file: after, functions: true });
  return `${renderDump({ file: before, functions: true })}
builtin trap -- ${quote(last)} EXIT
exec() { if (($#)); then builtin exit 0; fi; }
if [[ -r /etc/profile ]]; then . /etc/profile; fi
if [[ -r ~/.bash_profile ]]; then . ~/.bash_profile
elif [[ -r ~/.bash_login ]]; then . ~/.bash_login
elif [[ -r ~/.profile ]]; then . ~/.profile
elif [[ -r ~/.bashrc ]]; then . ~/.bashrc
fi
builtin unset -f exec
{ builtin set +xv; } 2>/dev/null
${last}
builtin trap - EXIT
builtin exit 0
`;
}
