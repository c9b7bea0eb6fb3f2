import { unescapeAnsi } from '../expand/default.ts';
import { setVariable } from '../state/assign-value.ts';
import type { Call, Handler } from '../state/machine.ts';
import { SILENT } from '../state/machine.ts';
import { readFile, storeText } from '../state/stored-file.ts';
import { parseOptions } from '../unwrap/options.ts';
import { joinWords } from '../unwrap/unwrap.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, placeField, toField, UNKNOWN } from '../words/atom.ts';
import { concat } from '../words/join.ts';
import { pathField, START, toPath } from '../words/path.ts';
import { decoders } from './decoders.ts';
import { formatText } from './format.ts';

const LINE_END = toField('\n');

const echo: Handler = ({ argv }) => {
  let words = argv.slice(1);
  let end = LINE_END;
  let escapes = false;
  for (let flags = literalOf(words[0]) ?? ''; /^-[neE]+$/.test(flags); flags = literalOf(words[0]) ?? '') {
    if (flags.includes('n')) end = [];
    if (flags.includes('e')) escapes = true;
    words = words.slice(1);
  }
  const text = joinWords(words);
  return [concat(escapes ? unescapeField(text) : text, end)];
};

function unescapeField(field: Field): Field {
  return concat(
    ...field.map((atom): Field => (atom.kind === 'text' ? toField(unescapeAnsi(atom.text)) : [atom])),
  );
}

const printf: Handler = (call) => {
  const { options, operands } = parseOptions(call.argv.slice(1), { short: 'v' });
  const [format, ...words] = operands;
  const text = format === undefined ? [] : formatText(format, words);
  const name = literalOf(options.find((option) => option.name === 'v')?.value);
  if (name === null) return [text];
  setVariable(call.frame.state, name.replace(/\[.*/, ''), { values: [text], append: false });
  return SILENT;
};

/** Prints its files, or what it reads. */
const cat: Handler = (call) => {
  const { operands } = parseOptions(call.argv.slice(1), { permute: true });
  if (operands.length === 0) return call.frame.stdin ?? [UNKNOWN];
  const files = operands.map((field) => readFile(field, call));
  return files.every((texts) => texts.length === 1) ? [concat(...files.flat())] : files[0];
};

const tee: Handler = (call) => {
  const { options, operands } = parseOptions(call.argv.slice(1), { permute: true });
  const texts = call.frame.stdin ?? [UNKNOWN];
  const append = options.some(({ name }) => name === 'a' || name === 'append');
  for (const field of operands) storeText(field, { state: call.frame.state, texts, append });
  return texts;
};

/** Passes on what it reads, as far as a judge needs to know. */
const pass: Handler = (call) => {
  const { operands } = parseOptions(call.argv.slice(1), { short: 'nc', permute: true });
  const [file] = operands;
  return file === undefined ? (call.frame.stdin ?? [UNKNOWN]) : readFile(file, call);
};

const pwd: Handler = ({ frame }) => frame.state.cwd.map((path) => concat(pathField(path), LINE_END));

/** Whatever it is called, it is found where it is. */
const which: Handler = ({ argv }) => {
  const { operands } = parseOptions(argv.slice(1), {});
  return operands.length === 0 ? undefined : [concat(...operands.flatMap((name) => [name, LINE_END]))];
};

/** A path as it is, another way to write it. */
const samePath: Handler = ({ argv }) => {
  const { operands } = parseOptions(argv.slice(1), { permute: true });
  return operands.length === 1 && operands[0] !== undefined ? [concat(operands[0], LINE_END)] : undefined;
};

const dirname: Handler = ({ argv }) => {
  const path = literalOf(argv[1]);
  if (path?.includes('/')) return [toField(`${path.replace(/\/+[^/]*\/*$/, '') || '/'}\n`)];
  // Below home, or below where the command starts: the last name goes.
  const { base, up, names } = toPath(argv[1] ?? [], START);
  const isPlace = argv[1]?.[0]?.kind === 'place' && names.length > 0;
  return isPlace ? [concat(pathField({ base, up, names: names.slice(0, -1) }), LINE_END)] : undefined;
};

const basename: Handler = ({ argv }) => {
  const [path, suffix = ''] = argv.slice(1).map(literalOf);
  if (path == null || path.startsWith('-')) return undefined;
  const name = path.replace(/\/+$/, '').replace(/.*\//, '');
  return [
    toField(
      `${name !== suffix && name.endsWith(suffix ?? '') ? name.slice(0, name.length - (suffix ?? '').length) : name}\n`,
    ),
  ];
};

const ls: Handler = ({ argv }) => {
  const { options, operands } = parseOptions(argv.slice(1), { short: 'ITw', permute: true });
  if (operands.length > 0 || options.some(({ name }) => name === 'd')) return undefined;
  const visible: Field = [{ kind: 'glob', text: '*' }];
  const hidden: Field = [
    { kind: 'text', text: '.' },
    { kind: 'glob', text: '*' },
  ];
  const all = options.some(({ name }) => /^(?:a|A|all|almost-all)$/.test(name));
  return [concat(visible, LINE_END, ...(all ? [hidden, LINE_END] : []))];
};

const printenv: Handler = ({ argv, frame }: Call) => {
  const name = literalOf(argv[1]);
  if (name === 'HOME') return [concat(placeField('home'), LINE_END)];
  if (name === 'PWD') return frame.state.cwd.map((path) => concat(pathField(path), LINE_END));
  return undefined;
};

const whoami: Handler = () => [concat(placeField('user'), LINE_END)];

const id: Handler = ({ argv }) => {
  const words = argv
    .slice(1)
    .map((word) => literalOf(word) ?? '')
    .join(' ');
  return /^-un$|^-nu$|^-u -n$|^-n -u$|^--user --name$/.test(words)
    ? [concat(placeField('user'), LINE_END)]
    : undefined;
};

/** Commands whose output we know; asked only when somebody listens. */
export const PRODUCERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['echo', echo],
  ['cat', cat],
  ['tac', pass],
  ['head', pass],
  ['tail', pass],
  ['sort', pass],
  ['uniq', pass],
  ['pwd', pwd],
  ['which', which],
  ['realpath', samePath],
  ['readlink', samePath],
  ['dirname', dirname],
  ['basename', basename],
  ['ls', ls],
  ['printenv', printenv],
  ['whoami', whoami],
  ['logname', whoami],
  ['id', id],
  ...decoders,
]);

/** Those that do more than print. */
export const WRITERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  ['printf', printf],
  ['tee', tee],
]);
