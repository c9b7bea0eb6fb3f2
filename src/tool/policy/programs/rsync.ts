import type { Handler } from '../state/machine.ts';
import { toPart } from '../state/part.ts';
import { parseOptions } from '../unwrap/options.ts';
import { inside } from '../unwrap/unwrap.ts';
import { literalOf, toField } from '../words/atom.ts';
import { toPath } from '../words/path.ts';

const SPEC = {
  short: 'efBTM',
  long: [
    ...[
      'rsh=',
      'rsync-path=',
      'exclude=',
      'include=',
      'exclude-from=',
      'include-from=',
      'files-from=',
      'filter=',
      'chmod=',
    ],
    ...[
      'chown=',
      'bwlimit=',
      'timeout=',
      'port=',
      'partial-dir=',
      'temp-dir=',
      'backup-dir=',
      'suffix=',
      'log-file=',
    ],
    ...[
      'link-dest=',
      'compare-dest=',
      'copy-dest=',
      'max-size=',
      'min-size=',
      'password-file=',
      'info=',
      'out-format=',
    ],
  ],
  permute: true,
};

/** With `--delete` everything at the destination goes that is not at the source: of a whole home, or of the root, that is a deletion. */
export const rsync: Handler = (call, machine) => {
  const { options, operands } = parseOptions(call.argv.slice(1), SPEC);
  const deletes = options.some(({ name }) => /^del(?:ete(?:-\w+)*)?$/.test(name));
  const target = operands.at(-1);
  if (!deletes || target === undefined || operands.length < 2) return undefined;
  const isWhole = call.frame.state.cwd.some((from) => {
    const { base, names } = toPath(target, from);
    return names.length === 0 && (base === 'root' || base === 'home');
  });
  if (!isWhole || options.some(({ name }) => name === 'n' || name === 'dry-run')) return undefined;
  const argv = [toField('rm'), toField('-r'), toField('--'), target];
  const option = options.find(({ name }) => name.startsWith('del'));
  const label = `rsync ${literalOf(option?.word) ?? '--delete'}`;
  machine.judge(toPart({ ...call, frame: inside(call.frame, label), argv }));
  return undefined;
};
