import type { BashOptions } from '../../src/index.ts';

/** One way through nacre. */
export interface Route {
  readonly name: string;
  readonly options: BashOptions;
  /** Commands before the script, in the same session. */
  readonly before?: readonly string[];
  /** Whether it is served by a shell that was started ahead, or by one that was not. */
  readonly ready?: boolean;
  /** What the user's `.bashrc` says; plain bash reads it at its start, too. */
  readonly rc?: string;
}

const AGENT: BashOptions = { profile: 'agent' };
const STATELESS: BashOptions = { ...AGENT, shellState: false };
const EARLIER = ['zz_before=1; cd / && cd "$OLDPWD"'];
const RC = 'export ZZ_FROM_RC=1\nzz_from_rc() { echo "from rc $1 $ZZ_FROM_RC"; }\nshopt -s extglob';

/** Every way a script can be run. */
export const ROUTES: readonly Route[] = [
  { name: 'agent', options: AGENT },
  { name: 'agent without state', options: STATELESS },
  { name: 'agent with earlier state', options: AGENT, before: EARLIER },
  { name: 'agent with a snapshot', options: AGENT, rc: RC },
  { name: 'modes', options: { profile: 'modes' } },
  { name: 'simple', options: { profile: 'simple' } },
  { name: 'a ready shell', options: AGENT, ready: true },
  { name: 'a ready shell without state', options: STATELESS, ready: true },
  { name: 'a ready shell with earlier state', options: AGENT, before: EARLIER, ready: true },
  { name: 'a ready shell with a snapshot', options: AGENT, rc: RC, ready: true },
  { name: 'a ready shell of simple', options: { profile: 'simple' }, ready: true },
];
