/**
 * Thousands of calls in a row in one session: `node test/storm/sessions.mjs [--calls 2000] [--ready 2] [--rc 1]`, after `npm run build`.
 *
 * With `--rc 1` the user's own shell is one from hell.
 * Every call adds to the state and every tenth takes the end away (a kill, an exec, a time limit); the state must be exact
 * at the end, neither memory, descriptors nor files may have grown, and no process may be left.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBash } from '../../dist/index.js';

const option = (name, otherwise) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
};
const calls = option('--calls', 2_000);
const readyShells = option('--ready', 2);
const stateDirectory = mkdtempSync(join(tmpdir(), 'nacre-session-storm-'));
const inheritedEnv = { PATH: process.env.PATH, HOME: stateDirectory };
const RC = `echo noise; echo noise >&2; read -r answer; stty sane
PROMPT_COMMAND='exit 9'; PS1='$(exit 3)'; IFS=abcdefnot; CDPATH=/tmp; TMOUT=1; umask 0777; ulimit -n 24
readonly UNWANTED=1 REPLY=2; export PATH="$PATH:$HOME/bin"; set -o vi; shopt -s extglob nocasematch
for word in cd command test printf source exit echo read trap; do eval "$word() { builtin echo mine; return 7; }"; done
alias if='echo no' ls='ls --color' g='echo' here=$'echo one\\necho two'
kept_fn() { cat <<EOF
kept $1
EOF
}
(sleep 1000 &) ; sleep 1000 & disown; eval "$(ssh-agent 2>/dev/null)"
trap 'echo bye' EXIT; trap 'false' DEBUG; set -eu; set -x
exec 3>&- 4>&- 5>&- 9>&- 0</dev/null; unset HOME; false; exec zsh
`;
if (option('--rc', 0)) writeFileSync(join(stateDirectory, '.bashrc'), RC);
const open = () =>
  createBash({ settings: false, session: 'storm', cwd: '/', stateDirectory, inheritedEnv, readyShells });
const LOST = [
  'n=lost; kill -9 $$',
  'n=lost; exec true',
  'n=lost; trap "true" EXIT',
  'n=lost; eval "trap : EXIT"',
];

let bash = open();
let kept = 0;
const problems = [];
const look = () => ({ fds: readdirSync('/proc/self/fd').length, rss: process.memoryUsage().rss });
let early = null;
for (let call = 1; call <= calls; call++) {
  if (call % 10 === 0) {
    const { run } = await bash.call({ command: LOST[(call / 10) % LOST.length] });
    if (run.stateReset === undefined) problems.push(`call ${call}: lost without a word`);
  } else {
    kept += 1;
    const { run } = await bash.call({ command: `n=$((n + 1)); v${call % 50}=$n; f() { echo "$n"; }` });
    if (run.stateReset !== undefined) problems.push(`call ${call}: ${run.stateReset}`);
  }
  // A program that ends between two calls.
  if (call % 250 === 0) {
    await bash.close();
    bash = open();
  }
  if (call === 200) early = look();
}
const { run } = await bash.call({ command: 'f; compgen -v v | wc -l' });
const own = option('--rc', 0)
  ? await bash.call({ command: 'kept_fn well; builtin cd / && pwd; umask' })
  : null;
if (own !== null && own.run.output.text !== 'kept well\n/\n0022\n')
  problems.push(`own shell: ${own.run.output.text}`);
await bash.close();
if (run.output.text !== `${kept}\n${Math.min(50, calls) - 5}\n`) problems.push(`state: ${run.output.text}`);
const late = look();
if (early !== null && late.fds > early.fds + 4) problems.push(`descriptors: ${early.fds} → ${late.fds}`);
if (early !== null && late.rss > early.rss * 1.5) problems.push(`memory: ${early.rss} → ${late.rss}`);
const files = readdirSync(join(stateDirectory, 'sessions/storm/shell/default'));
if (files.length > 12 || files.some((name) => /^call-|lock/.test(name)))
  problems.push(`files: ${files.join(' ')}`);
const waiting = existsSync(join(stateDirectory, 'ready')) ? readdirSync(join(stateDirectory, 'ready')) : [];
if (waiting.length > 0) problems.push(`shells that wait: ${waiting.join(' ')}`);
const processes = () =>
  readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && environmentOf(pid).includes(stateDirectory));
// The last supervisor goes a moment after its caller was told.
let marked = processes();
for (let look = 0; look < 100 && marked.length > 0; look++) {
  await new Promise((resolve) => setTimeout(resolve, 50));
  marked = processes();
}
if (marked.length > 0) problems.push(`processes: ${marked.join(' ')}`);
rmSync(stateDirectory, { recursive: true, force: true });
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(`${calls} calls, ${readyShells} shells ready, ${problems.length} problems\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return '';
  }
}
