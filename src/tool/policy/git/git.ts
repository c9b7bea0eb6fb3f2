import { ownValue } from '../../../engine/text/own-value.ts';
import type { Call, Handler, Machine, Printed } from '../state/machine.ts';
import { WRITTEN } from '../state/machine.ts';
import type { State } from '../state/state.ts';
import { isArray } from '../state/value.ts';
import { parseOptions } from '../unwrap/options.ts';
import { inside, joinWords, runApart } from '../unwrap/unwrap.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, placeField, toField } from '../words/atom.ts';
import { concat } from '../words/join.ts';
import { splitFields } from '../words/lines.ts';
import type { GitWords } from './words.ts';
import { readGit } from './words.ts';

/** Settings whose value git runs. */
const CODE_KEYS =
  /^(?:core\.(?:sshcommand|editor|pager|askpass|fsmonitor|gitproxy)|sequence\.editor|pager\..*|diff\.external|diff\..*\.(?:command|textconv)|merge\..*\.driver|filter\..*\.(?:clean|smudge|process)|credential\.helper|gpg\.program|(?:diff|merge)tool\..*\.cmd|uploadpack\..*|remote\..*\.(?:receivepack|uploadpack))$/;

/** Runs what git would run: aliases, editors, and the commands that take commands. */
export const git: Handler = (call, machine) => {
  const given = readGit(call.argv);
  if (given === null) return undefined;
  const read = { ...given, config: [...given.config, ...environmentConfig(call)] };
  for (const { key, value } of read.config)
    if (CODE_KEYS.test(key)) runSetting(value, { call, key }, machine);
  const alias = aliasOf(read, call);
  if (alias !== undefined) {
    for (const text of alias) runAlias(text, { call, read }, machine);
    return WRITTEN;
  }
  return (ownValue(VERBS, read.verb ?? '') ?? prints)(read.words, call, machine);
};

/** `GIT_CONFIG_KEY_0`, `GIT_CONFIG_VALUE_0`: settings from variables. */
function environmentConfig({ frame: { state } }: Call): GitWords['config'] {
  const count = Math.min(16, Number(fieldOf(state, 'GIT_CONFIG_COUNT').map(literalOf)[0] ?? 0));
  return Array.from({ length: Number.isNaN(count) ? 0 : count }).flatMap((_, index) => {
    const [key] = fieldOf(state, `GIT_CONFIG_KEY_${index}`).map(literalOf);
    const [value] = fieldOf(state, `GIT_CONFIG_VALUE_${index}`);
    return key == null || value === undefined ? [] : [{ key: key.toLowerCase(), value }];
  });
}

function fieldOf(state: State, name: string): readonly Field[] {
  return state.get('variable', name)?.options.flatMap((value) => (isArray(value) ? [] : [value])) ?? [];
}

/** The dashed form: `git-push` is `git push`. */
export function dashed(argv: readonly Field[], name: string): readonly Field[] {
  return [toField('git'), toField(name.slice('git-'.length)), ...argv.slice(1)];
}

function runSetting(
  value: Field,
  { call, key }: { readonly call: Call; readonly key: string },
  machine: Machine,
): void {
  runApart([withoutMark(value)], inside(call.frame, `git ${key}`), machine);
}

function withoutMark(value: Field): Field {
  const [first, ...rest] = value;
  return first?.kind === 'text' && first.text.startsWith('!')
    ? concat(toField(first.text.slice(1)), rest)
    : value;
}

/** git's own commands cannot be aliased. */
function aliasOf({ verb, config }: GitWords, { frame }: Call): readonly Field[] | undefined {
  if (verb === null || /^(?:add|stage|push|commit|config|send-pack)$/.test(verb)) return undefined;
  const inline = config.filter(({ key }) => key === `alias.${verb.toLowerCase()}`).map(({ value }) => value);
  return inline.length > 0 ? inline : frame.state.get('gitAlias', verb.toLowerCase());
}

function runAlias(
  text: Field,
  { call, read }: { readonly call: Call; readonly read: GitWords },
  machine: Machine,
): void {
  const frame = inside(call.frame, `git alias ${read.verb}`);
  const [first] = text;
  if (first?.kind === 'text' && first.text.startsWith('!')) {
    runApart([joinWords([withoutMark(text), ...read.words])], frame, machine);
    return;
  }
  const words = splitFields(text, ' \t\n').map(
    (word): Field =>
      word.map((atom) => (atom.kind === 'text' ? { ...atom, text: atom.text.replace(/['"]/g, '') } : atom)),
  );
  machine.perform({ ...call, frame, argv: [toField('git'), ...words, ...read.words], plain: true });
}

type Verb = (words: readonly Field[], call: Call, machine: Machine) => Printed;

const VERBS: Readonly<Record<string, Verb>> = {
  config: (words, call, machine) => {
    const { operands } = parseOptions(words, { short: 'ft', long: ['file=', 'blob=', 'type='] });
    const [key, value] = literalOf(operands[0]) === 'set' ? operands.slice(1) : operands;
    const name = literalOf(key)?.toLowerCase();
    if (name === undefined || value === undefined) return undefined;
    if (name.startsWith('alias.')) call.frame.state.set('gitAlias', name.slice('alias.'.length), [value]);
    else if (CODE_KEYS.test(name)) runSetting(value, { call, key: name }, machine);
    return undefined;
  },
  submodule: (words, call, machine) => {
    const { operands } = parseOptions(words, {});
    if (literalOf(operands[0]) !== 'foreach') return undefined;
    const { operands: command } = parseOptions(operands.slice(1), {});
    runApart([joinWords(command)], inside(call.frame, 'git submodule foreach'), machine);
    return undefined;
  },
  bisect: (words, call, machine) => {
    if (literalOf(words[0]) !== 'run') return undefined;
    machine.perform({
      ...call,
      argv: words.slice(1),
      frame: inside(call.frame, 'git bisect run'),
      plain: true,
    });
    return undefined;
  },
  rebase: (words, call, machine) => runValues(words, { call, names: ['x', 'exec'] }, machine),
  difftool: (words, call, machine) => runValues(words, { call, names: ['x', 'extcmd'] }, machine),
  'filter-branch': (words, call, machine) =>
    runValues(words, { call, names: FILTERS.map((name) => `${name}-filter`) }, machine),
  'for-each-repo': (words, call, machine) => {
    const { operands } = parseOptions(words, { long: ['config='] });
    machine.perform({
      ...call,
      argv: [toField('git'), ...operands],
      frame: inside(call.frame, 'git for-each-repo'),
      plain: true,
    });
    return undefined;
  },
};

const FILTERS = ['tree', 'index', 'msg', 'commit', 'env', 'parent', 'tag-name'];

interface Values {
  readonly call: Call;
  readonly names: readonly string[];
}

/** Options whose values are scripts. */
function runValues(words: readonly Field[], { call, names }: Values, machine: Machine): Printed {
  const { options } = parseOptions(words, {
    short: 'xsXSC',
    long: names.map((name) => `${name}=`),
    permute: true,
  });
  for (const { name, value } of options)
    if (names.includes(name) && value !== undefined)
      runApart([value], inside(call.frame, `git --${name}`), machine);
  return undefined;
}

function prints(words: readonly Field[], { argv }: Call): Printed {
  if (readGit(argv)?.verb !== 'rev-parse') return undefined;
  const asked = words.map(literalOf).find((word) => word?.startsWith('--'));
  if (asked === '--show-toplevel') return [concat(placeField('repository'), toField('\n'))];
  const isDirectory = asked === '--git-dir' || asked === '--absolute-git-dir' || asked === '--git-common-dir';
  return isDirectory ? [concat(placeField('repository'), toField('/.git\n'))] : undefined;
}
