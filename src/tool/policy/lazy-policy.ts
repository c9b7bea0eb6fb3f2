import type { Explanation } from './judge/explain.ts';
import { createPrefilter } from './judge/prefilter.ts';
import type { JudgeContext } from './judge/settings.ts';
import type { Verdict } from './judge/verdict.ts';
import type { Policy } from './policy.ts';
import type { PolicyOptions } from './policy-options.ts';

/** A policy that is loaded when it is needed. */
export interface LazyPolicy {
  load(): Promise<Policy>;
  judge(command: string, context?: JudgeContext): Promise<Verdict>;
  intercept(commands: readonly string[], context: JudgeContext): Promise<Verdict>;
  explain(command: string, context?: JudgeContext): Promise<Explanation>;
}

const ALLOWED: Verdict = { verdict: 'allow', findings: [], message: '', notes: [] };

/** Looks at a text with one regular expression first, and loads parser and rules only where that cannot tell. */
export function createLazyPolicy(options: PolicyOptions = {}): LazyPolicy {
  const needsAll = options.interceptor?.enabled === true || options.approvals !== undefined;
  const couldMatter = createPrefilter(
    needsAll ? ['*'] : (options.rules ?? []).flatMap(({ commands }) => commands),
  );
  let policy: Promise<Policy> | undefined;
  const load = (): Promise<Policy> => {
    policy ??= import('./policy.ts').then(({ createPolicy }) => createPolicy(options));
    return policy;
  };
  return {
    load,
    judge: async (command, context = {}) => {
      const skips = command.length < MAX_SKIPPED && (context.prelude ?? '') === '' && !couldMatter(command);
      return skips ? ALLOWED : (await load()).judge(command, context);
    },
    intercept: async (commands, context) =>
      options.interceptor?.enabled ? (await load()).intercept(commands, context) : ALLOWED,
    explain: async (command, context = {}) => (await load()).explain(command, context),
  };
}

// Above this, limits come into play.
const MAX_SKIPPED = 10_000;
