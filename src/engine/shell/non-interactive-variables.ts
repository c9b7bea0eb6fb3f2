/**
 * What keeps programs from asking, paging, editing and drawing when no person sits in front of them.
 *
 * Bare names (`cat`, `true`, `false`) instead of paths: all of these are looked up on `PATH`, and not
 * every system has them in `/usr/bin`. There is no `GIT_SSH_COMMAND`: it would take the place of the
 * user's own `core.sshCommand`, and without a terminal ssh does not ask anyway.
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
  LESS: 'FRX', // for those who call less themselves: it leaves when the text fits and clears nothing
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
  GIT_ASKPASS: '', // empty and set: git asks no helper program, SSH_ASKPASS included
  GCM_INTERACTIVE: 'never',
  SSH_ASKPASS: 'false',
  SSH_ASKPASS_REQUIRE: 'never',
  GPG_TTY: 'not a tty', // what `tty` prints; an inherited one would draw on the user's own terminal
};

const QUESTIONS: Values = {
  DEBIAN_FRONTEND: 'noninteractive',
  APT_LISTCHANGES_FRONTEND: 'none',
  NEEDRESTART_MODE: 'l', // list what should be restarted, touch nothing
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
  PYTHONUNBUFFERED: '1', // not drawing, but the same aim: output that can be followed as it comes
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

/** `pipe`: nobody looks while it runs. `terminal`: a person or a model sees a screen and can answer. */
export type NonInteractiveOutput = 'pipe' | 'terminal';

export interface NonInteractiveOptions {
  readonly output: NonInteractiveOutput;
  /** Whether `CI=true` is part of it: many tools know it, and a few behave differently because of it. */
  readonly ci: boolean;
}

/** The variables that disarm. On a terminal questions may be asked and colours drawn, but no credentials. */
export function nonInteractiveVariables({ output, ci }: NonInteractiveOptions): Values {
  const everywhere = { ...PAGERS, ...EDITORS, ...CREDENTIAL_PROMPTS };
  if (output === 'terminal') return { ...everywhere, TERM: 'xterm-256color' };
  return { ...everywhere, ...QUESTIONS, ...DRAWING, ...(ci ? { CI: 'true' } : {}) };
}

/** They ask for colour against `NO_COLOR`, and Node warns on stderr when both are set. */
const FORCED_COLOR_VARIABLES: readonly string[] = ['FORCE_COLOR', 'CLICOLOR_FORCE', 'COLORTERM'];

/**
 * Set while a git hook or `git rebase --exec` runs: with them every git command would work on that
 * repository instead of the one it is in. Who the user is (`GIT_AUTHOR_…`, `GIT_CONFIG_…`) stays.
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

/** Names that are not passed on from the environment of this program. */
export function droppedVariables(output: NonInteractiveOutput): ReadonlySet<string> {
  return new Set([...GIT_REPOSITORY_VARIABLES, ...(output === 'pipe' ? FORCED_COLOR_VARIABLES : [])]);
}
