import type { Handler } from '../state/machine.ts';
import { SILENT, WRITTEN } from '../state/machine.ts';
import { parseOptions } from '../unwrap/options.ts';
import { inside, joinWords, runApart } from '../unwrap/unwrap.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, toField } from '../words/atom.ts';
import { concat } from '../words/join.ts';
import { linesOf } from '../words/lines.ts';

/** Joins its words and runs them in the same shell. */
export const evalBuiltin: Handler = ({ argv, frame }, machine) => {
  const words = literalOf(argv[1]) === '--' ? argv.slice(2) : argv.slice(1);
  machine.runTexts([joinWords(words)], inside(frame, 'eval'));
  return WRITTEN;
};

/** The action runs later; what runs at the end of the shell is looked at there. */
export const trap: Handler = ({ argv, frame }, machine) => {
  const { options, operands } = parseOptions(argv.slice(1), {});
  const [action, ...signals] = operands;
  if (options.length > 0 || action === undefined || signals.length === 0) return undefined;
  const text = literalOf(action);
  if (text === '' || text === '-') return SILENT;
  const atExit = signals.every((signal) => /^(?:(?:SIG)?EXIT|0)$/i.test(literalOf(signal) ?? ''));
  if (atExit) frame.state.traps = [...frame.state.traps, [action]];
  else runApart([action], inside(frame, 'trap'), machine);
  return SILENT;
};

export const alias: Handler = ({ argv, frame }) => {
  for (const word of argv.slice(1)) {
    const [first] = word;
    const match = first?.kind === 'text' ? /^([^\s=/]+)=/.exec(first.text) : null;
    if (match?.[1] === undefined || first?.kind !== 'text') continue;
    const value = concat(toField(first.text.slice(match[0].length)), word.slice(1));
    frame.state.set('alias', match[1], [value]);
  }
  return SILENT;
};

export const shopt: Handler = ({ argv, frame }) => {
  const words = argv.map((word) => literalOf(word) ?? '');
  if (words.includes('expand_aliases')) frame.state.aliasesExpand = words.includes('-s');
  return undefined;
};

/** `compgen -C command` runs it. */
export const compgen: Handler = ({ argv, frame }, machine) => {
  const { options } = parseOptions(argv.slice(1), { short: 'AGWFCXPSo' });
  for (const { name, value } of options)
    if (name === 'C' && value !== undefined) runApart([value], inside(frame, 'compgen -C'), machine);
  return undefined;
};

/** `let` and `((…))` run substitutions inside indexes, quoted or not. */
export const letBuiltin: Handler = ({ argv, frame }, machine) => {
  for (const word of argv.slice(1))
    runEmbedded(word, (texts) => runApart(texts, inside(frame, 'let'), machine));
  return SILENT;
};

/** Substitutions in a text that is expanded once more. */
export function runEmbedded(text: Field, run: (texts: readonly Field[]) => void): void {
  const hasCode = text.some((atom) => atom.kind === 'text' && /\$\(|`/.test(atom.text));
  if (hasCode) run([concat(toField(': <<_\n'), text, toField('\n_\n'))]);
}

/** `at`, `batch`: a script on standard input, run later. */
export const later: Handler = ({ argv, frame }, machine) => {
  const name = literalOf(argv[0]) ?? 'at';
  runApart(frame.stdin ?? [], inside(frame, name), machine);
  return undefined;
};

/** `crontab -`: each line is a time and a command. */
export const crontab: Handler = ({ frame }, machine) => {
  const lines = (frame.stdin ?? []).flatMap(linesOf);
  const commands = lines.map((line): Field => {
    const [first, ...rest] = line;
    if (first?.kind !== 'text') return line;
    return concat(toField(first.text.replace(/^\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+/, '')), rest);
  });
  runApart(commands, inside(frame, 'crontab'), machine);
  return undefined;
};

/** `tmux new-session -d 'command'` and its kin; `send-keys` types what a shell will read. */
export const tmux: Handler = ({ argv, frame }, machine) => {
  const { operands } = parseOptions(argv.slice(1), { short: 'cfLST' });
  const [verb, ...words] = operands;
  const name = literalOf(verb) ?? '';
  const { operands: command } = parseOptions(words, { short: 'censtxyFlp' });
  if (
    /^(?:new|new-session|neww|new-window|splitw|split-window|run|run-shell|respawn-pane|respawn-window|popup)$/.test(
      name,
    )
  )
    runApart([joinWords(command)], inside(frame, `tmux ${name}`), machine);
  if (/^send(?:-keys)?$/.test(name))
    runApart(
      [joinWords(command.filter((word) => !/^(?:Enter|C-m)$/.test(literalOf(word) ?? '')))],
      inside(frame, `tmux ${name}`),
      machine,
    );
  return undefined;
};
