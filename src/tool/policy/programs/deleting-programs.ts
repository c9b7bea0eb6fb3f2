import { wordList } from '../../../engine/text/word-list.ts';
import { parseProgramOptions } from '../unwrap/program-options.ts';
import { enterFrame } from '../unwrap/unwrap-command.ts';
import { ALREADY_PRINTED, type CommandHandler, toCommandPart } from '../values/command-evaluation.ts';
import { toField, toLiteral } from '../values/field.ts';
import { toFieldPath } from '../values/field-path.ts';

/** Other names of `rm`. */
const RM_ALIASES = ['grm', 'srm', 'rm.exe'];
/** Programs that always delete recursively. */
const RECURSIVE_REMOVERS = ['rimraf', 'del-cli'];

const handleRmAlias: CommandHandler = (call, context) => {
  context.perform({ ...call, argv: [toField('rm'), ...call.argv.slice(1)], plain: true });
  return ALREADY_PRINTED;
};

const handleRecursiveRemover: CommandHandler = (call, context) => {
  const { operands } = parseProgramOptions(call.argv.slice(1), { permute: true });
  context.perform({ ...call, argv: [toField('rm'), toField('-r'), toField('--'), ...operands], plain: true });
  return ALREADY_PRINTED;
};

/** Handlers of programs that delete files like `rm`. */
export const REMOVER_HANDLERS: readonly (readonly [string, CommandHandler])[] = [
  ...RM_ALIASES.map((name) => [name, handleRmAlias] as const),
  ...RECURSIVE_REMOVERS.map((name) => [name, handleRecursiveRemover] as const),
];

const RSYNC_OPTIONS = {
  short: 'efBTM',
  long: wordList(`
    rsh= rsync-path= exclude= include= exclude-from= include-from= files-from= filter= chmod= chown=
    bwlimit= timeout= port= partial-dir= temp-dir= backup-dir= suffix= log-file= link-dest= compare-dest=
    copy-dest= max-size= min-size= password-file= info= out-format=
  `),
  permute: true,
};

/** Reports `rsync --delete` to a whole home directory or the root as a recursive deletion of it. */
export const handleRsync: CommandHandler = (call, context) => {
  const { options, operands } = parseProgramOptions(call.argv.slice(1), RSYNC_OPTIONS);
  const deletes = options.some(({ name }) => /^del(?:ete(?:-\w+)*)?$/.test(name));
  const target = operands.at(-1);
  if (!deletes || target === undefined || operands.length < 2) return undefined;
  const isWhole = call.frame.state.cwd.some((from) => {
    const { base, names } = toFieldPath(target, from);
    return names.length === 0 && (base === 'root' || base === 'home');
  });
  if (!isWhole || options.some(({ name }) => name === 'n' || name === 'dry-run')) return undefined;
  const argv = [toField('rm'), toField('-r'), toField('--'), target];
  const option = options.find(({ name }) => name.startsWith('del'));
  const label = `rsync ${toLiteral(option?.word) ?? '--delete'}`;
  context.reportPart(toCommandPart({ ...call, frame: enterFrame(call.frame, label), argv }));
  return undefined;
};
