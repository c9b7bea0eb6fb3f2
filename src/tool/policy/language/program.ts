import type { Call, Handler, Machine } from '../state/machine.ts';
import { toPart } from '../state/part.ts';
import { parseOptions } from '../unwrap/options.ts';
import { inside, runApart } from '../unwrap/unwrap.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, toField } from '../words/atom.ts';
import { shellTexts, wordLists } from './calls.ts';
import { deletedTrees } from './deletions.ts';
import type { Language } from './languages.ts';
import { languageOf } from './languages.ts';

/** Programs in other languages are not read, but the commands they plainly run and the trees they delete are. */
export const program: Handler = (call, machine) => {
  const name = literalOf(call.argv[0])?.replace(/.*\//, '') ?? '';
  const language = languageOf(name);
  if (language === undefined) return undefined;
  for (const text of programsOf(call, language)) lookAt(text, { call, name }, machine);
  return undefined;
};

function programsOf({ argv, frame }: Call, language: Language): readonly Field[] {
  const { options, operands: all } = parseOptions(argv.slice(1), {
    short: (language.short ?? '') + language.code.filter((option) => option.length === 1).join(''),
    long: language.code.filter((option) => option.length > 1).map((option) => `${option}=`),
  });
  if (language.verb !== undefined && literalOf(all[0]) !== language.verb) return [];
  const operands = language.verb === undefined ? all : all.slice(1);
  const given = options.flatMap(({ name, value }) => (language.code.includes(name) && value ? [value] : []));
  const texts = [...given, ...(language.operand && given.length === 0 ? operands.slice(0, 1) : [])];
  const reads = texts.length === 0 && (operands.length === 0 || literalOf(operands[0]) === '-');
  return reads ? (frame.stdin ?? []) : texts;
}

interface Looking {
  readonly call: Call;
  readonly name: string;
}

function lookAt(text: Field, { call, name }: Looking, machine: Machine): void {
  const code = text.map((atom) => (atom.kind === 'text' ? atom.text : ' ')).join('');
  const frame = inside(call.frame, `${name} program`);
  const scripts = shellTexts(code, name);
  const lists = wordLists(code);
  machine.budget.spend(scripts.length + lists.length);
  for (const script of scripts) runApart([toField(script)], frame, machine);
  for (const words of lists) machine.perform({ ...call, frame, argv: words.map(toField), plain: true });
  for (const tree of deletedTrees(code)) {
    const argv = [toField('rm'), toField('-r'), toField('--'), tree];
    machine.judge(toPart({ ...call, frame, argv }));
  }
}
