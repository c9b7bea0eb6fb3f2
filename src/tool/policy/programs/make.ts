import type { Call, Handler } from '../state/machine.ts';
import { readFile, storedText } from '../state/stored-file.ts';
import { optionValue, parseOptions } from '../unwrap/options.ts';
import { inside, runApart } from '../unwrap/unwrap.ts';
import type { Field } from '../words/atom.ts';
import { literalOf, toField, UNKNOWN } from '../words/atom.ts';

const SPEC = {
  short: 'CfIjloWE',
  long: ['directory=', 'file=', 'makefile=', 'include-dir=', 'eval=', 'assume-new=', 'old-file='],
  permute: true,
};

/** The recipes of a makefile that the command itself has made: `make -f -`, `make --eval`. */
export const make: Handler = (call, machine) => {
  const { options } = parseOptions(call.argv.slice(1), SPEC);
  const file = optionValue(options, ['f', 'file', 'makefile']);
  const evaluated = optionValue(options, ['E', 'eval']);
  const texts = [
    ...(file === undefined ? defaultFiles(call) : readFile(file, call)),
    ...(evaluated ? [evaluated] : []),
  ];
  for (const text of texts)
    for (const recipe of recipesOf(literalOf(text) ?? ''))
      runApart([toField(recipe)], inside(call.frame, 'make'), machine);
  return undefined;
};

function defaultFiles({ frame }: Call): readonly Field[] {
  const written = ['GNUmakefile', 'makefile', 'Makefile'].flatMap((name) =>
    storedText(toField(name), frame.state),
  );
  return written.filter((text) => text !== UNKNOWN);
}

/** Lines that begin with a tab, and what follows a semicolon after a rule; `$(NAME)` is a variable there. */
function recipesOf(text: string): readonly string[] {
  return text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('\t')) return [line];
      const [, recipe] = /^[^#=\s][^#=]*:[^=;]*;(.*)$/.exec(line) ?? [];
      return recipe === undefined ? [] : [recipe];
    })
    .map((recipe) =>
      recipe
        .replace(/^[\s@+-]+/, '')
        .replace(/\$\((\w+)\)/g, '${$1}')
        .replaceAll('$$', '$'),
    );
}
