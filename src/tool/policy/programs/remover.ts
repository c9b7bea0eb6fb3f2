import type { Handler } from '../state/machine.ts';
import { WRITTEN } from '../state/machine.ts';
import { parseOptions } from '../unwrap/options.ts';
import { toField } from '../words/atom.ts';

/** Programs that delete as `rm` does under another name. */
const SAME = ['grm', 'srm', 'rm.exe'];
/** They always take everything below. */
const WHOLE = ['rimraf', 'del-cli'];

const asRm: Handler = (call, machine) => {
  machine.perform({ ...call, argv: [toField('rm'), ...call.argv.slice(1)], plain: true });
  return WRITTEN;
};

const wholly: Handler = (call, machine) => {
  const { operands } = parseOptions(call.argv.slice(1), { permute: true });
  machine.perform({ ...call, argv: [toField('rm'), toField('-r'), toField('--'), ...operands], plain: true });
  return WRITTEN;
};

export const removers: readonly (readonly [string, Handler])[] = [
  ...SAME.map((name) => [name, asRm] as const),
  ...WHOLE.map((name) => [name, wholly] as const),
];
