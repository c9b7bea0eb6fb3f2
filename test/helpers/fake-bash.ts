import { join } from 'node:path';
import type { Bash } from '../../src/tool/call/bash.ts';
import { createBash } from '../../src/tool/call/bash.ts';
import type { CallResult } from '../../src/tool/contract/result.ts';
import type { BashOptions } from '../../src/tool/options/bash-options.ts';
import type { FakeHost, FakeHostOptions } from './fake-host.ts';
import { createFakeHost } from './fake-host.ts';
import { temporaryDirectory } from './temporary-directory.ts';

export interface FakeSetUp {
  readonly root: string;
  readonly host: FakeHost;
  readonly bash: Bash;
}

/** The tool on a host in memory, with a state directory and an environment of its own. */
export function setUpFake(options: BashOptions & Omit<FakeHostOptions, 'directory'> = {}): FakeSetUp {
  const { behave, starting, fail, ...own } = options;
  const root = temporaryDirectory();
  const played = { ...(behave && { behave }), ...(starting && { starting }), ...(fail && { fail }) };
  const host = createFakeHost({ directory: root, ...played });
  const inheritedEnv = { PATH: '/usr/bin:/bin', HOME: '/home/ada' };
  const bash = createBash({ cwd: root, stateDirectory: join(root, 'state'), inheritedEnv, host, ...own });
  return { root, host, bash };
}

export function textOf({ content }: Pick<CallResult, 'content'>): string {
  return content.map(({ text }) => text).join('');
}
