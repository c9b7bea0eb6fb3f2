import { join } from 'node:path';
import type { Bash } from '../../src/tool/bash.ts';
import { createBash } from '../../src/tool/bash.ts';
import type { BashOptions } from '../../src/tool/options/options.ts';
import type { CallResult } from '../../src/tool/result.ts';
import type { Behaviour, FakeHost } from './fake-host.ts';
import { createFakeHost } from './fake-host.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export interface FakeSetUp {
  readonly root: string;
  readonly host: FakeHost;
  readonly bash: Bash;
}

/** The tool on a host in memory, with a state directory and an environment of its own. */
export function setUpFake(options: BashOptions & { behave?: Behaviour; fail?: Error } = {}): FakeSetUp {
  const { behave, fail, ...own } = options;
  const root = temporaryDirectory();
  const host = createFakeHost({ directory: root, ...(behave && { behave }), ...(fail && { fail }) });
  const inheritedEnv = { PATH: '/usr/bin:/bin', HOME: '/home/ada' };
  const bash = createBash({ cwd: root, stateDirectory: join(root, 'state'), inheritedEnv, host, ...own });
  return { root, host, bash };
}

export function textOf({ content }: Pick<CallResult, 'content'>): string {
  return content.map(({ text }) => text).join('');
}
