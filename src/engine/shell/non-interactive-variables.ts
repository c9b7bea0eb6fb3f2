/**
 * Variables that keep programs from prompting, paging, editing and drawing.
 *
 * Commands are bare names (`cat`, `true`, `false`), because not every system has them in `/usr/bin`.
 * `GIT_SSH_COMMAND` is not set: it would override the user's `core.sshCommand`, and ssh does not prompt without
 * a terminal.
 */
type Values = Readonly<Record<string, string>>;

const PAGERS: Values = {
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  BAT_PAGER: 'cat',
  BAT_PAGING: 'never',
  DELTA_PAGER: 'cat',
  GH_PAGER: 'cat',
  GLAB_PAGER: 'cat',
  PSQL_PAGER: 'cat',
  AWS_PAGER: '',
  LESS: 'FRX', // for explicit calls of less: exit if the text fits, do not clear the screen
};

const EDITORS: Values = {
  EDITOR: 'true',
  VISUAL: 'true',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_MERGE_AUTOEDIT: 'no',
  HGEDITOR: 'true',
  SVN_EDITOR: 'true',
  JJ_EDITOR: 'true',
  KUBE_EDITOR: 'true',
  SUDO_EDITOR: 'true',
  SYSTEMD_EDITOR: 'true',
};

const CREDENTIAL_PROMPTS: Values = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '', // set and empty: git uses no helper program, not even SSH_ASKPASS
  GCM_INTERACTIVE: 'never',
  SSH_ASKPASS: 'false',
  SSH_ASKPASS_REQUIRE: 'never',
  GPG_TTY: 'not a tty', // the output of `tty` without a terminal; an inherited value would draw on the user's terminal
};

const QUESTIONS: Values = {
  DEBIAN_FRONTEND: 'noninteractive',
  APT_LISTCHANGES_FRONTEND: 'none',
  NEEDRESTART_MODE: 'l', // list services to restart, restart none
  PIP_NO_INPUT: '1',
  POETRY_NO_INTERACTION: '1',
  COMPOSER_NO_INTERACTION: '1',
  COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
  CLOUDSDK_CORE_DISABLE_PROMPTS: '1',
  GH_PROMPT_DISABLED: '1',
  TF_INPUT: '0',
  TF_IN_AUTOMATION: '1',
  NG_CLI_ANALYTICS: 'false',
};

const DRAWING: Values = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PYTHONUNBUFFERED: '1', // output appears as it is written
  BUILDKIT_PROGRESS: 'plain',
  CARGO_TERM_PROGRESS_WHEN: 'never',
  npm_config_progress: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  NO_UPDATE_NOTIFIER: '1',
  YARN_ENABLE_PROGRESS_BARS: 'false',
  YARN_ENABLE_TELEMETRY: '0',
  PIP_PROGRESS_BAR: 'off',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  UV_NO_PROGRESS: '1',
  GH_NO_UPDATE_NOTIFIER: '1',
  HOMEBREW_NO_AUTO_UPDATE: '1',
  HOMEBREW_NO_ENV_HINTS: '1',
  DOTNET_NOLOGO: '1',
};

/** `pipe`: output is captured. `terminal`: a person or a model sees a screen and can answer. */
export type NonInteractiveOutput = 'pipe' | 'terminal';

interface NonInteractiveOptions {
  readonly output: NonInteractiveOutput;
  /** Whether to set `CI=true`: many tools respect it, and a few behave differently because of it. */
  readonly ci: boolean;
}

/**
 * Returns the variables for non-interactive commands. On a terminal only paging, editors and credential prompts
 * are disabled.
 */
export function nonInteractiveVariables({ output, ci }: NonInteractiveOptions): Values {
  const everywhere = { ...PAGERS, ...EDITORS, ...CREDENTIAL_PROMPTS };
  if (output === 'terminal') return { ...everywhere, TERM: 'xterm-256color' };
  return { ...everywhere, ...QUESTIONS, ...DRAWING, ...(ci ? { CI: 'true' } : {}) };
}

/** They override `NO_COLOR`, and Node prints a warning if both are set. */
const FORCED_COLOR_VARIABLES: readonly string[] = ['FORCE_COLOR', 'CLICOLOR_FORCE', 'COLORTERM'];

/**
 * Set by git in hooks and `git rebase --exec`: with them every git command would use that repository. Identity
 * (`GIT_AUTHOR_…`, `GIT_CONFIG_…`) is kept.
 */
const GIT_REPOSITORY_VARIABLES: readonly string[] = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_COMMON_DIR',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_QUARANTINE_PATH',
  'GIT_PREFIX',
  'GIT_NAMESPACE',
  'GIT_GRAFT_FILE',
  'GIT_SHALLOW_FILE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_REFLOG_ACTION',
];

/** Returns the names that are not inherited. */
export function droppedVariables(output: NonInteractiveOutput): ReadonlySet<string> {
  return new Set([...GIT_REPOSITORY_VARIABLES, ...(output === 'pipe' ? FORCED_COLOR_VARIABLES : [])]);
}
