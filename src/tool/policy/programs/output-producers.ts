import { parseProgramOptions } from '../unwrap/program-options.ts';
import {
  type CommandHandler,
  type EvaluatedCall,
  NO_OUTPUT,
  readKnownFile,
  storeFileText,
} from '../values/command-evaluation.ts';
import {
  concatFields,
  type Field,
  joinFields,
  symbolicField,
  toField,
  toLiteral,
  UNKNOWN_FIELD,
} from '../values/field.ts';
import { fromFieldPath, START_PATH, toFieldPath } from '../values/field-path.ts';
import { decodeAnsiEscapes } from '../values/parameter-expansion.ts';
import { setVariable } from '../values/script-state.ts';

/** Formats as `printf` does: the format is repeated until all words are used. */
function formatPrintf(format: Field, words: readonly Field[]): Field {
  const text = toLiteral(format);
  if (text === null) return concatFields(format, ...words);
  const pieces = text.match(/%%|%[-+ #0]*(?:\*|\d*)(?:\.(?:\*|\d*))?[a-zA-Z]|%\([^)]*\)T|[^%]+|%/g) ?? [];
  const slots = pieces.filter(isSlot).length;
  const rounds = slots === 0 ? 1 : Math.max(1, Math.ceil(words.length / slots));
  const rest = [...words];
  const fill = (piece: string): Field =>
    isSlot(piece) ? formatSlot(piece, rest.shift()) : formatPlain(piece);
  return concatFields(...Array.from({ length: rounds }, () => pieces.map(fill)).flat());
}

function isSlot(piece: string): boolean {
  return piece.length > 1 && piece.startsWith('%') && piece !== '%%';
}

const ESCAPE_OR_CHARACTER = /\\000|\\0{1,2}(?![0-7])|\\x0{1,2}(?![\da-fA-F])|\\?./gs;

/** Decodes the escapes of `printf` and `echo -e`. A NUL ends the text in `$'…'`, but not in output. */
function decodePrintedEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  const pieces = [''];
  for (const [token] of text.matchAll(ESCAPE_OR_CHARACTER)) {
    if (/^\\x?0+$/.test(token)) pieces.push('');
    else pieces.push(`${pieces.pop() ?? ''}${token}`);
  }
  return pieces.map(decodeAnsiEscapes).join('\0');
}

function formatPlain(piece: string): Field {
  return toField(piece === '%%' ? '%' : decodePrintedEscapes(piece));
}

function formatSlot(piece: string, word: Field | undefined): Field {
  const field = word ?? [];
  const kind = piece.at(-1);
  if (kind === 's' || kind === 'q' || kind === 'd' || kind === 'i') return field;
  const text = toLiteral(field);
  if (kind === 'b') return text === null ? field : toField(decodePrintedEscapes(text));
  if (kind === 'c') return text === null ? UNKNOWN_FIELD : toField(text.slice(0, 1));
  return UNKNOWN_FIELD;
}

/** Creates a handler that transforms known input text. */
function createDecoder(change: (text: string, words: readonly string[]) => string | null): CommandHandler {
  return (call) => {
    const words = call.argv.slice(1).map((word) => toLiteral(word) ?? '');
    return readDecoderInput(call).map((text) => {
      const literal = toLiteral(text);
      const changed = literal === null ? null : change(literal, words);
      return changed === null ? UNKNOWN_FIELD : toField(changed);
    });
  };
}

function readDecoderInput(call: EvaluatedCall): readonly Field[] {
  const { operands } = parseProgramOptions(call.argv.slice(1), { short: 'win', permute: true });
  const file = operands.findLast((field) => !/^(?:enc|base64)$/.test(toLiteral(field) ?? ''));
  const known = file === undefined ? [UNKNOWN_FIELD] : readKnownFile(file, call);
  return toLiteral(known[0]) === null ? (call.frame.stdin ?? [UNKNOWN_FIELD]) : known;
}

function hasFlag(words: readonly string[], letter: string, long: string): boolean {
  return words.some(
    (word) =>
      new RegExp(`^-\\w*${letter}`).test(word) || (word.startsWith('--') && long.startsWith(word.slice(2))),
  );
}

const base64 = createDecoder((text, words) =>
  hasFlag(words, '[dD]', 'decode')
    ? Buffer.from(text, 'base64').toString('utf8')
    : `${Buffer.from(text).toString('base64')}\n`,
);

const openssl = createDecoder((text, words) => {
  const isBase64 = words.includes('base64') || words.includes('-base64') || words.includes('-a');
  return isBase64 && words.includes('-d') ? Buffer.from(text, 'base64').toString('utf8') : null;
});

const xxd = createDecoder((text, words) => {
  if (!words.some((word) => /^-\w*r/.test(word))) return null;
  return Buffer.from(text.replace(/[^0-9a-fA-F]/g, ''), 'hex').toString('utf8');
});

const rev = createDecoder((text) =>
  text
    .split('\n')
    .map((line) => [...line].reverse().join(''))
    .join('\n'),
);

/** `tr` with literal sets, ranges and escapes. */
const tr = createDecoder((text, words) => {
  const flags = words.filter((word) => /^-[cdsCt]+$/.test(word)).join('');
  const [from = '', to = ''] = words.filter((word) => !/^-[cdsCt]+$/.test(word)).map(expandSet);
  if (/[cC]/.test(flags)) return null;
  if (flags.includes('d')) return [...text].filter((char) => !from.includes(char)).join('');
  if (flags.includes('s') && to === '') return text;
  return [...text]
    .map((char) => (from.includes(char) ? to.charAt(from.indexOf(char)) || to.slice(-1) : char))
    .join('');
});

function expandSet(set: string): string {
  return set
    .replace(/\[:upper:\]/g, 'A-Z')
    .replace(/\[:lower:\]/g, 'a-z')
    .replace(/\\0{1,3}/g, '\0')
    .replace(/\\n/g, '\n')
    .replace(/\\t/g, '\t')
    .replace(/(.)-(.)/gs, (_, from: string, to: string) => {
      const [a, b] = [from.charCodeAt(0), to.charCodeAt(0)];
      return b < a || b - a > 256
        ? ''
        : Array.from({ length: b - a + 1 }, (__, index) => String.fromCharCode(a + index)).join('');
    });
}

/** `sed s/a/b/` with literal texts; the output of other scripts is unknown. */
const sed = createDecoder((text, words) => {
  const scripts = words.filter((word) => !word.startsWith('-'));
  const match = /^s(.)((?:(?!\1)[^\\.*[\]^$+?(){}|])*)\1((?:(?!\1)[^\\&])*)\1(g?)$/.exec(scripts[0] ?? '');
  if (match === null || scripts.length !== 1) return null;
  const [, , from = '', to = '', global] = match;
  const change = (line: string): string =>
    global === 'g' ? line.replaceAll(from, () => to) : line.replace(from, () => to);
  return text.split('\n').map(change).join('\n');
});

const DECODERS: readonly (readonly [string, CommandHandler])[] = [
  ['base64', base64],
  ['gbase64', base64],
  ['openssl', openssl],
  ['xxd', xxd],
  ['rev', rev],
  ['tr', tr],
  ['sed', sed],
];

const LINE_END = toField('\n');

const echo: CommandHandler = ({ argv }) => {
  let words = argv.slice(1);
  let end = LINE_END;
  let escapes = false;
  for (let flags = toLiteral(words[0]) ?? ''; /^-[neE]+$/.test(flags); flags = toLiteral(words[0]) ?? '') {
    if (flags.includes('n')) end = [];
    if (flags.includes('e')) escapes = true;
    words = words.slice(1);
  }
  const text = joinFields(words);
  return [concatFields(escapes ? unescapeField(text) : text, end)];
};

function unescapeField(field: Field): Field {
  return concatFields(
    ...field.map((atom): Field => (atom.kind === 'text' ? toField(decodePrintedEscapes(atom.text)) : [atom])),
  );
}

const printf: CommandHandler = (call) => {
  const { options, operands } = parseProgramOptions(call.argv.slice(1), { short: 'v' });
  const [format, ...words] = operands;
  const text = format === undefined ? [] : formatPrintf(format, words);
  const name = toLiteral(options.find((option) => option.name === 'v')?.value);
  if (name === null) return [text];
  setVariable(call.frame.state, name.replace(/\[.*/, ''), { values: [text], append: false });
  return NO_OUTPUT;
};

const cat: CommandHandler = (call) => {
  const { operands } = parseProgramOptions(call.argv.slice(1), { permute: true });
  if (operands.length === 0) return call.frame.stdin ?? [UNKNOWN_FIELD];
  const files = operands.map((field) => readKnownFile(field, call));
  return files.every((texts) => texts.length === 1) ? [concatFields(...files.flat())] : files[0];
};

const tee: CommandHandler = (call) => {
  const { options, operands } = parseProgramOptions(call.argv.slice(1), { permute: true });
  const texts = call.frame.stdin ?? [UNKNOWN_FIELD];
  const append = options.some(({ name }) => name === 'a' || name === 'append');
  for (const field of operands) storeFileText(field, { state: call.frame.state, texts, append });
  return texts;
};

/** Approximates filters such as `head` and `sort` by their whole input. */
const passThrough: CommandHandler = (call) => {
  const [file] = parseProgramOptions(call.argv.slice(1), { short: 'nc', permute: true }).operands;
  return file === undefined ? (call.frame.stdin ?? [UNKNOWN_FIELD]) : readKnownFile(file, call);
};

const pwd: CommandHandler = ({ frame }) =>
  frame.state.cwd.map((path) => concatFields(fromFieldPath(path), LINE_END));

/** Evaluates `which`, `command -v` and `type -P`: the printed path is represented by the name. */
export const handleLookup: CommandHandler = ({ argv }) => {
  const { operands } = parseProgramOptions(argv.slice(1), {});
  return [concatFields(...operands.flatMap((name) => [name, LINE_END]))];
};

/** The normalised path is represented by the given one. */
const samePath: CommandHandler = ({ argv }) => {
  const { operands } = parseProgramOptions(argv.slice(1), { permute: true });
  return operands.length === 1 && operands[0] !== undefined
    ? [concatFields(operands[0], LINE_END)]
    : undefined;
};

const dirname: CommandHandler = ({ argv }) => {
  const path = toLiteral(argv[1]);
  if (path?.includes('/')) return [toField(`${path.replace(/\/+[^/]*\/*$/, '') || '/'}\n`)];
  // Removes the last name of a path below a symbolic directory.
  const { base, up, names } = toFieldPath(argv[1] ?? [], START_PATH);
  const isSymbolic = argv[1]?.[0]?.kind === 'symbol' && names.length > 0;
  return isSymbolic
    ? [concatFields(fromFieldPath({ base, up, names: names.slice(0, -1) }), LINE_END)]
    : undefined;
};

const basename: CommandHandler = ({ argv }) => {
  const [path, suffix = ''] = argv.slice(1).map(toLiteral);
  if (path == null || path.startsWith('-')) return undefined;
  const name = path.replace(/\/+$/, '').replace(/.*\//, '');
  const hasSuffix = suffix !== null && name !== suffix && name.endsWith(suffix);
  return [toField(`${hasSuffix ? name.slice(0, name.length - suffix.length) : name}\n`)];
};

const ls: CommandHandler = ({ argv }) => {
  const { options, operands } = parseProgramOptions(argv.slice(1), { short: 'ITw', permute: true });
  if (operands.length > 0 || options.some(({ name }) => name === 'd')) return undefined;
  const visible: Field = [{ kind: 'glob', text: '*' }];
  const hidden: Field = [
    { kind: 'text', text: '.' },
    { kind: 'glob', text: '*' },
  ];
  const all = options.some(({ name }) => /^(?:a|A|all|almost-all)$/.test(name));
  return [concatFields(visible, LINE_END, ...(all ? [hidden, LINE_END] : []))];
};

const printenv: CommandHandler = (call, context) => {
  const name = toLiteral(call.argv[1]);
  if (name === 'HOME') return [concatFields(symbolicField('home'), LINE_END)];
  return name === 'PWD' ? pwd(call, context) : undefined;
};

const whoami: CommandHandler = () => [concatFields(symbolicField('user'), LINE_END)];

const id: CommandHandler = (call, context) => {
  const words = call.argv.slice(1).map((word) => toLiteral(word) ?? '');
  const isName = /^-un$|^-nu$|^-u -n$|^-n -u$|^--user --name$/.test(words.join(' '));
  return isName ? whoami(call, context) : undefined;
};

/** Commands whose output is known; evaluated only when the output is used. */
export const OUTPUT_PRODUCERS: ReadonlyMap<string, CommandHandler> = new Map<string, CommandHandler>([
  ['echo', echo],
  ['cat', cat],
  ['tac', passThrough],
  ['head', passThrough],
  ['tail', passThrough],
  ['sort', passThrough],
  ['uniq', passThrough],
  ['pwd', pwd],
  ['which', handleLookup],
  ['type', handleLookup],
  ['realpath', samePath],
  ['readlink', samePath],
  ['dirname', dirname],
  ['basename', basename],
  ['ls', ls],
  ['printenv', printenv],
  ['whoami', whoami],
  ['logname', whoami],
  ['id', id],
  ...DECODERS,
]);

/** Commands with known output that also set variables or write files. */
export const WRITING_PRODUCERS: ReadonlyMap<string, CommandHandler> = new Map<string, CommandHandler>([
  ['printf', printf],
  ['tee', tee],
]);
