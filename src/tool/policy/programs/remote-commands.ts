import { wordList } from '../../../engine/text/word-list.ts';
import { enterFrame, runInSubshell } from '../unwrap/unwrap-command.ts';
import type {
  CommandHandler,
  EvaluatedCall,
  HandlerContext,
  PrintedTexts,
} from '../values/command-evaluation.ts';
import { type Field, joinFields, toField, toLiteral } from '../values/field.ts';

/** One syntax with which a program takes a command to run on a remote host or in a container. */
interface RemoteForm {
  /** Required first words: `compose exec`. */
  readonly verbs?: readonly string[];
  /** Number of words before the command, such as the host or the container. */
  readonly operands?: number;
  /** Whether the command always follows `--`. */
  readonly afterDashes?: true;
  /** Whether the words are joined and parsed by a remote shell. */
  readonly joins?: true;
  /** Whether standard input is the script when there is no command. */
  readonly readsScript?: true;
  /** Options, with their dashes, whose value is a script. */
  readonly scripts?: readonly string[];
}

/** A program that runs commands on a remote host or in a container. */
interface RemoteProgram {
  readonly forms: readonly RemoteForm[];
  /** Short options that take a value. */
  readonly short?: string;
  /** Long options without a value; all others take one. */
  readonly flags?: readonly string[];
  /** Long options with a value; all others take none. */
  readonly long?: readonly string[];
}

const CONTAINER_FLAGS = wordList(`
  rm interactive tty detach privileged init read-only no-healthcheck oom-kill-disable publish-all quiet
  sig-proxy no-TTY no-tty no-deps service-ports build use-aliases remove-orphans quiet-pull debug tls
  tlsverify no-hosts systemd replace rmi tls-verify compatibility dry-run all-resources latest verbose
  env-host http-proxy
`);

const CONTAINER_PROGRAM: RemoteProgram = {
  short: 'ewupvmhacnHlf',
  flags: CONTAINER_FLAGS,
  forms: [
    { verbs: ['exec'], operands: 1 },
    { verbs: ['run'], operands: 1 },
    { verbs: ['container', 'exec'], operands: 1 },
    { verbs: ['container', 'run'], operands: 1 },
    { verbs: ['compose', 'exec'], operands: 1 },
    { verbs: ['compose', 'run'], operands: 1 },
    { verbs: ['machine', 'ssh'], operands: 1, joins: true },
    { verbs: ['sandbox', 'exec'], operands: 1 },
  ],
};

const COMPOSE_PROGRAM: RemoteProgram = { ...CONTAINER_PROGRAM, forms: CONTAINER_PROGRAM.forms.slice(0, 2) };

const CLUSTER_PROGRAM: RemoteProgram = {
  short: 'ncflsk',
  forms: [
    { verbs: ['exec'], afterDashes: true },
    { verbs: ['run'], afterDashes: true },
    { verbs: ['debug'], afterDashes: true },
    { verbs: ['rsh'], operands: 1 },
  ],
};

const SSH_PROGRAM: RemoteProgram = {
  short: 'bcDEeFIiJLlmOopQRSWwBP',
  long: [],
  forms: [{ operands: 1, joins: true, readsScript: true }],
};

const FENCED_PROGRAM: RemoteProgram = { forms: [{ afterDashes: true }] };

/** Programs that run commands on a remote host, in a container or in a virtual context. */
const REMOTE_PROGRAMS: Readonly<Record<string, RemoteProgram>> = {
  ssh: SSH_PROGRAM,
  slogin: SSH_PROGRAM,
  rsh: SSH_PROGRAM,
  autossh: { ...SSH_PROGRAM, short: `${SSH_PROGRAM.short}M` },
  mosh: FENCED_PROGRAM,
  pdsh: { short: 'wxlutf', long: [], forms: [{ joins: true }] },
  clush: { short: 'wxgtuf', long: [], forms: [{ joins: true }] },
  pssh: { short: 'hHlptoeOxXi', long: [], forms: [{ joins: true }] },
  'parallel-ssh': { short: 'hHlptoeOxXi', long: [], forms: [{ joins: true }] },
  docker: CONTAINER_PROGRAM,
  podman: CONTAINER_PROGRAM,
  nerdctl: CONTAINER_PROGRAM,
  finch: CONTAINER_PROGRAM,
  'docker-compose': COMPOSE_PROGRAM,
  'podman-compose': COMPOSE_PROGRAM,
  kubectl: CLUSTER_PROGRAM,
  oc: CLUSTER_PROGRAM,
  k3s: { ...CLUSTER_PROGRAM, forms: [{ verbs: ['kubectl', 'exec'], afterDashes: true }] },
  lxc: { forms: [{ verbs: ['exec'], afterDashes: true }] },
  incus: { forms: [{ verbs: ['exec'], afterDashes: true }] },
  multipass: { long: ['working-directory'], short: 'd', forms: [{ verbs: ['exec'], operands: 1 }] },
  limactl: { long: ['workdir', 'shell'], forms: [{ verbs: ['shell'], operands: 1 }] },
  colima: { forms: [{ verbs: ['ssh'], afterDashes: true }] },
  minikube: { forms: [{ verbs: ['ssh'], afterDashes: true }] },
  distrobox: { short: 'n', forms: [{ verbs: ['enter'], afterDashes: true }] },
  'distrobox-enter': FENCED_PROGRAM,
  toolbox: { short: 'cdr', long: ['container', 'distro', 'release'], forms: [{ verbs: ['run'] }] },
  flatpak: { long: ['command', 'cwd'], forms: [{ verbs: ['run'], operands: 1 }] },
  'flatpak-spawn': { long: ['directory', 'env'], forms: [{}] },
  vagrant: { short: 'c', long: ['command'], forms: [{ verbs: ['ssh'], scripts: ['-c', '--command'] }] },
  gcloud: { long: [], forms: [{ verbs: ['compute', 'ssh'], scripts: ['--command'] }] },
  fly: { short: 'Cas', forms: [{ verbs: ['ssh', 'console'], scripts: ['-C', '--command'] }] },
  flyctl: { short: 'Cas', forms: [{ verbs: ['ssh', 'console'], scripts: ['-C', '--command'] }] },
  heroku: { short: 'a', long: ['app', 'remote', 'size'], forms: [{ verbs: ['run'], joins: true }] },
  adb: { short: 's', forms: [{ verbs: ['shell'], joins: true }] },
  wsl: { short: 'du', long: ['distribution', 'user', 'cd'], forms: [{}] },
  'wsl.exe': { short: 'du', long: ['distribution', 'user', 'cd'], forms: [{}] },
};

/**
 * Handlers for remote commands. They are checked like local commands because a deletion on a remote host is as
 * final.
 */
export const REMOTE_HANDLERS: readonly (readonly [string, CommandHandler])[] = Object.entries(
  REMOTE_PROGRAMS,
).map(([name, program]) => [name, (call, context) => performRemote({ name, program, call }, context)]);

interface RemoteCall {
  readonly name: string;
  readonly program: RemoteProgram;
  readonly call: EvaluatedCall;
}

function performRemote({ name, program, call }: RemoteCall, context: HandlerContext): PrintedTexts {
  const words = call.argv.slice(1);
  for (const form of program.forms) {
    const reader = new RemoteWordReader(words, { ...program, ...form });
    if (!reader.takeVerbs(form.verbs ?? [])) continue;
    const label = [name, ...(form.verbs ?? [])].join(' ');
    runRemoteForm(reader, { form: { ...program, ...form }, call, label }, context);
    return undefined;
  }
  return undefined;
}

interface RemoteRun {
  readonly form: RemoteProgram & RemoteForm;
  readonly call: EvaluatedCall;
  readonly label: string;
}

function runRemoteForm(
  reader: RemoteWordReader,
  { form, call, label }: RemoteRun,
  context: HandlerContext,
): void {
  const frame = enterFrame(call.frame, label);
  const command = form.scripts === undefined ? reader.takeCommand(form.operands ?? 0) : reader.takeOptions();
  for (const script of reader.scripts) runInSubshell([script], frame, context);
  if (command.length === 0) {
    if (form.readsScript) runInSubshell(call.frame.stdin ?? [], frame, context);
    return;
  }
  if (form.joins) {
    runInSubshell([joinFields(command)], frame, context);
    runRemoteInput(command, { call, label }, context);
    return;
  }
  const state = frame.state.fork();
  context.perform({ ...call, frame: { ...frame, state }, argv: command, plain: true });
  state.end();
}

/**
 * Evaluates the input of `ssh host bash -s`: the remote shell reads the standard input of the local command.
 */
function runRemoteInput(
  command: readonly Field[],
  { call, label }: { readonly call: EvaluatedCall; readonly label: string },
  context: HandlerContext,
): void {
  const [first, second] = command.map(toLiteral);
  const isShell = command.length <= 2 && /^(?:ba|da|z|k)?sh(?:$| -s)/.test(first ?? '');
  if (isShell && (second === undefined || second === '-s'))
    runInSubshell(call.frame.stdin ?? [], enterFrame(call.frame, label), context);
}

/** Reads words in order, with options allowed between verbs. */
class RemoteWordReader {
  readonly scripts: Field[] = [];
  #entrypoint: Field | null = null;
  readonly #words: readonly Field[];
  readonly #form: RemoteProgram & RemoteForm;
  #at = 0;

  constructor(words: readonly Field[], form: RemoteProgram & RemoteForm) {
    this.#words = words;
    this.#form = form;
  }

  /** Whether the next words, without options, are these verbs. */
  takeVerbs(verbs: readonly string[]): boolean {
    for (const verb of verbs) {
      this.#skipOptions();
      if (toLiteral(this.#words[this.#at]) !== verb) return false;
      this.#at += 1;
    }
    return true;
  }

  /** Returns the words after the given number of operands, or after `--`. */
  takeCommand(operands: number): readonly Field[] {
    const dashes = this.#words.findIndex((word, index) => index >= this.#at && toLiteral(word) === '--');
    if (this.#form.afterDashes) return dashes < 0 ? [] : this.#withEntrypoint(this.#words.slice(dashes + 1));
    for (let left = operands; left >= 0; left -= 1) {
      this.#skipOptions();
      if (left > 0) this.#at += 1;
    }
    const rest = this.#words.slice(this.#at);
    return this.#withEntrypoint(toLiteral(rest[0]) === '--' ? rest.slice(1) : rest);
  }

  /** Reads the remaining words for their options only. */
  takeOptions(): readonly Field[] {
    for (; this.#at < this.#words.length; this.#at += 1) this.#skipOptions();
    return [];
  }

  #withEntrypoint(command: readonly Field[]): readonly Field[] {
    return this.#entrypoint === null ? command : [this.#entrypoint, ...command];
  }

  #skipOptions(): void {
    for (;;) {
      const text = wordHead(this.#words[this.#at]);
      if (!text.startsWith('-') || text === '-' || text === '--') return;
      this.#takeOption(text);
    }
  }

  #takeOption(text: string): void {
    const [, name = text, inline] = /^(--?[^=]+)=(.*)$/s.exec(text) ?? [];
    const takes = inline === undefined && this.#takesValue(name);
    const value = inline === undefined ? this.#words[this.#at + 1] : toField(inline);
    this.#at += takes ? 2 : 1;
    if (value === undefined || (inline === undefined && !takes)) return;
    if (this.#form.scripts?.includes(name)) this.scripts.push(value);
    if (name === '--entrypoint') this.#entrypoint = value;
  }

  /** Long options take a value unless the table says otherwise; short options only when listed. */
  #takesValue(name: string): boolean {
    const { short = '', flags = [], long } = this.#form;
    if (name.startsWith('--'))
      return long === undefined ? !flags.includes(name.slice(2)) : long.includes(name.slice(2));
    // The first letter with a value uses the rest of the word.
    const at = [...name.slice(1)].findIndex((letter) => short.includes(letter));
    return at >= 0 && at === name.length - 2;
  }
}

function wordHead(word: Field | undefined): string {
  const first = word?.[0];
  return first?.kind === 'text' ? first.text : '';
}
