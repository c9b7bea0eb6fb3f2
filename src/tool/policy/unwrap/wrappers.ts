import { wordList } from '../../../engine/text/word-list.ts';
import { toField, toLiteral } from '../values/field.ts';
import { parseProgramOptions } from './program-options.ts';

/** A program that runs the command given in its arguments. */
export interface WrapperSpec {
  /** Short options that take a value. */
  readonly short?: string;
  /** Long options that take the next word as their value. */
  readonly long?: readonly string[];
  /** Number of words between the options and the command, such as the duration of `timeout`. */
  readonly operands?: number;
  /** Whether `NAME=value` words may precede the command. */
  readonly assigns?: true;
  /** Options with which nothing is run: `command -v`. */
  readonly inert?: readonly string[];
  /** Options whose value is a script: `flock -c`. */
  readonly scripts?: readonly string[];
  /** Options whose value is the beginning of the command: `env -S`. */
  readonly splits?: readonly string[];
  /** Options with which standard input is a script when there is no command; `*`: always. */
  readonly shell?: readonly string[];
  /** Required first operand: `poetry run`. */
  readonly verbs?: readonly string[];
  /** Whether the words are joined and parsed by a shell, as with `watch`. */
  readonly joins?: true;
  /** Whether every operand is a separate script, as with `concurrently`. */
  readonly each?: true;
}

const TIMEOUT_WRAPPER: WrapperSpec = { short: 'ks', long: ['kill-after', 'signal'], operands: 1 };

const WRAPPER_SPECS: Readonly<Record<string, WrapperSpec>> = {
  sudo: {
    short: 'ugphCDRTUrtac',
    long: wordList(`
      user group prompt host close-from chdir chroot role type command-timeout other-user login-class
      auth-type
    `),
    assigns: true,
    inert: ['l', 'list', 'v', 'validate', 'V', 'version', 'K', 'remove-timestamp', 'e', 'edit'],
    shell: ['s', 'shell', 'i', 'login'],
  },
  doas: { short: 'uCa', inert: ['C', 'L'], shell: ['s'] },
  pkexec: { long: ['user'], shell: ['*'] },
  run0: { short: 'uDp', long: ['user', 'group', 'chdir', 'unit', 'property', 'setenv'], shell: ['*'] },
  gosu: { operands: 1 },
  'su-exec': { operands: 1 },
  setpriv: { long: ['reuid', 'regid', 'groups', 'inh-caps', 'ambient-caps', 'bounding-set'] },
  chroot: { operands: 1, long: ['userspec', 'groups'], shell: ['*'] },
  unshare: { short: 'SGRw', long: ['setuid', 'setgid', 'root', 'wd', 'map-user', 'map-group'], shell: ['*'] },
  nsenter: { short: 'tSGrw', long: ['target', 'setuid', 'setgid'], shell: ['*'] },
  env: {
    short: 'uCaS',
    long: ['unset', 'chdir', 'argv0', 'split-string'],
    splits: ['S', 'split-string'],
    assigns: true,
  },
  command: { inert: ['v', 'V'] },
  exec: { short: 'a' },
  time: { short: 'fo', long: ['format', 'output'] },
  timeout: TIMEOUT_WRAPPER,
  gtimeout: TIMEOUT_WRAPPER,
  nice: { short: 'n', long: ['adjustment'] },
  ionice: { short: 'cnpPu', long: ['class', 'classdata'], inert: ['p', 'P', 'u'] },
  chrt: { operands: 1, short: 'TPD', inert: ['p', 'm'] },
  taskset: { operands: 1, inert: ['p'] },
  numactl: { short: 'mNCpiPw', long: ['membind', 'cpunodebind', 'physcpubind', 'interleave', 'preferred'] },
  prlimit: { short: 'p', inert: ['p'] },
  cpulimit: { short: 'lpePc', inert: ['p', 'e'] },
  stdbuf: { short: 'ioe', long: ['input', 'output', 'error'] },
  setarch: { operands: 1 },
  arch: { short: 'e' },
  caffeinate: { short: 'tw' },
  fakeroot: { short: 'lsbi', shell: ['*'] },
  flock: {
    operands: 1,
    short: 'wE',
    long: ['timeout', 'wait', 'conflict-exit-code'],
    scripts: ['c', 'command'],
  },
  lockf: { operands: 1, short: 't' },
  strace: { short: 'abeEIoOpPSsuUX' },
  ltrace: { short: 'aAeFlnopsuwx' },
  perf: { verbs: ['stat', 'record', 'trace'], short: 'eopCcgFr' },
  rlwrap: { short: 'abcCDfFHlMmnOpPqrsStwz' },
  watch: { short: 'nqs', long: ['interval', 'equexit'], joins: true },
  script: {
    short: 'cEIOBTo',
    long: ['command', 'echo', 'log-in', 'log-out', 'log-io', 'log-timing', 'output-limit'],
    scripts: ['c', 'command'],
    operands: 1,
  },
  entr: { joins: true },
  'xvfb-run': { short: 'efnpsw', long: ['error-file', 'auth-file', 'server-num', 'server-args', 'wait'] },
  'dbus-run-session': { long: ['config-file', 'dbus-daemon'] },
  'ssh-agent': { short: 'atEPO' },
  'systemd-run': {
    short: 'pEtMHuS',
    long: ['unit', 'property', 'uid', 'gid', 'setenv', 'slice', 'description', 'working-directory'],
    shell: ['S', 'shell'],
  },
  'systemd-inhibit': { long: ['what', 'who', 'why', 'mode'] },
  'start-stop-daemon': {
    short: 'pundaRcgNIPk',
    long: ['pidfile', 'user', 'name', 'chdir', 'chuid', 'group'],
  },
  faketime: { operands: 1, short: 'f' },
  proxychains: { short: 'f' },
  proxychains4: { short: 'f' },
  tini: { short: 'pe' },
  sshpass: { short: 'pfdP' },
  gdb: { short: 'xpcdtb', long: ['ex', 'eval-command', 'command', 'directory'] },
  'cross-env': { assigns: true },
  'cross-env-shell': { assigns: true, joins: true },
  'env-cmd': { short: 'frc', long: ['file', 'environments'] },
  dotenv: { short: 'efvp' },
  dotenvx: { verbs: ['run'], short: 'f' },
  direnv: { verbs: ['exec'], operands: 1 },
  npx: { short: 'pcw', long: ['package', 'call', 'workspace'], scripts: ['c', 'call'] },
  npm: {
    verbs: ['exec', 'x'],
    short: 'cw',
    long: ['package', 'call', 'workspace'],
    scripts: ['c', 'call'],
  },
  pnpm: { verbs: ['exec', 'dlx'], short: 'CF' },
  yarn: { verbs: ['exec', 'dlx'] },
  bun: { verbs: ['x'] },
  conda: { verbs: ['run'], short: 'np', long: ['name', 'prefix', 'cwd'] },
  mamba: { verbs: ['run'], short: 'np' },
  doppler: { verbs: ['run'], short: 'pc', long: ['project', 'config', 'command'], scripts: ['command'] },
  mise: { verbs: ['exec', 'x'], short: 'Cjc', long: ['command'], scripts: ['c', 'command'] },
  'aws-vault': { verbs: ['exec'], operands: 1, short: 'd' },
  nix: {
    verbs: ['develop', 'shell', 'run'],
    short: 'cf',
    long: ['command', 'run'],
    scripts: ['run'],
    splits: ['c', 'command'],
  },
  cargo: { verbs: ['watch'], short: 'sxwid', scripts: ['s', 'shell'], long: ['shell', 'exec', 'watch'] },
  'cargo-watch': { short: 'sxwid', scripts: ['s', 'shell'], long: ['shell', 'exec', 'watch'] },
  'nix-shell': { short: 'pAIE', long: ['run', 'command', 'packages'], scripts: ['run', 'command'] },
  hyperfine: {
    short: 'wmMrpcsnNS',
    long: ['warmup', 'min-runs', 'max-runs', 'runs', 'prepare', 'cleanup', 'setup', 'shell', 'style'],
    scripts: ['p', 'prepare', 'c', 'cleanup', 's', 'setup'],
    each: true,
  },
  concurrently: { short: 'nckpts', long: ['names', 'prefix', 'prefix-colors', 'restart-tries'], each: true },
  nodemon: { short: 'xewid', long: ['exec', 'ext', 'watch', 'ignore', 'delay'], scripts: ['x', 'exec'] },
};

/** Wrappers whose first argument that is not an option is the command. */
const PLAIN_WRAPPERS = wordList(`
  builtin nohup setsid unbuffer linux32 linux64 valgrind dbus-launch torsocks torify eatmydata chronic
  dumb-init catchsegv firejail busybox toybox shx bunx pnpx
`);
const RUN_WRAPPERS = wordList('poetry pipenv uv hatch pdm rye op');
const EXEC_WRAPPERS = wordList('bundle asdf rbenv pyenv nodenv');

/** All wrapper programs. Shells, `find`, `xargs`, `git` and builtins have their own handlers. */
export const WRAPPERS: ReadonlyMap<string, WrapperSpec> = new Map([
  ...PLAIN_WRAPPERS.map((name): [string, WrapperSpec] => [name, {}]),
  ...RUN_WRAPPERS.map((name): [string, WrapperSpec] => [name, { verbs: ['run'] }]),
  ...EXEC_WRAPPERS.map((name): [string, WrapperSpec] => [name, { verbs: ['exec'] }]),
  ...Object.entries(WRAPPER_SPECS),
]);

/** Maximum number of nested wrappers that are removed. */
const MAX_WRAPPERS = 8;

/**
 * Returns the words of a command without its wrappers: `vitest run` for `env A=1 timeout 60 npx vitest run`.
 */
export function stripWrappers(words: readonly string[]): readonly string[] {
  let stripped = words;
  for (let depth = 0; depth < MAX_WRAPPERS; depth += 1) {
    const inner = stripWrapper(stripped);
    if (inner === null) return stripped;
    stripped = inner;
  }
  return stripped;
}

function stripWrapper([first = '', ...rest]: readonly string[]): readonly string[] | null {
  const wrapper = WRAPPERS.get(first.slice(first.lastIndexOf('/') + 1));
  if (wrapper === undefined || wrapper.joins === true || wrapper.each === true) return null;
  const opened = wrapperOperands(rest, wrapper);
  if (opened === null) return null;
  const inner = wrapper.verbs === undefined ? opened : wordsAfterVerb(opened, wrapper);
  if (inner === null) return null;
  const operands = inner.slice(wrapper.operands ?? 0);
  const start = wrapper.assigns === true ? operands.findIndex((word) => !/^\w+=/.test(word)) : 0;
  const command = start < 0 ? [] : operands.slice(start);
  return command.length === 0 || command[0] === '' ? null : command;
}

function wordsAfterVerb(
  [verb = '', ...rest]: readonly string[],
  wrapper: WrapperSpec,
): readonly string[] | null {
  return wrapper.verbs?.includes(verb) === true ? wrapperOperands(rest, wrapper) : null;
}

/** Returns `null` when the wrapper runs no command, or runs a script. */
function wrapperOperands(words: readonly string[], wrapper: WrapperSpec): readonly string[] | null {
  const { short = '', long = [], inert = [], scripts = [], splits = [] } = wrapper;
  const { options, operands } = parseProgramOptions(words.map(toField), {
    short,
    long: long.map((name) => `${name}=`),
  });
  const excluded = [...inert, ...scripts, ...splits];
  if (options.some(({ name }) => excluded.includes(name))) return null;
  return operands.map((word) => toLiteral(word) ?? '');
}
