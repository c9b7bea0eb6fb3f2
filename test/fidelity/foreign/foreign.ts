import { appendFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Both, Comparison } from '../compare.ts';
import { comparable, keysThatDiffer } from '../differences.ts';
import { EndlessScript } from '../reference.ts';
import { ROUTES, type Route } from '../routes.ts';
import { type ForeignScript, findScripts } from './find-scripts.ts';

const {
  NACRE_FIDELITY_DIR = '',
  NACRE_FIDELITY_ROUTE = '',
  NACRE_FIDELITY_LOG,
  NACRE_FIDELITY_ENV = '{}',
} = process.env;
const LIMIT_MS = Number(process.env.NACRE_FIDELITY_LIMIT) * 1_000;
const AT_ONCE = 4;
const TRIES = 4;

type Verdict = 'same' | 'differs' | 'unsteady' | 'endless';

const scripts = findScripts(NACRE_FIDELITY_DIR);
const routes = ROUTES.filter(({ name }) => name.includes(NACRE_FIDELITY_ROUTE));

describe.each(routes)('through $name', (route) => {
  test(`${scripts.length} scripts are as in bash`, async () => {
    const verdicts = new Map<Verdict, string[]>();
    const queue = [...scripts];
    const work = async (): Promise<void> => {
      for (let script = queue.shift(); script !== undefined; script = queue.shift()) {
        const verdict = await judge(script, route);
        verdicts.set(verdict, [...(verdicts.get(verdict) ?? []), script.name]);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const count = (verdict: Verdict): number => verdicts.get(verdict)?.length ?? 0;
    const others = (['unsteady', 'endless'] as const).map(
      (each) => `${each}: ${verdicts.get(each)?.join(' ') ?? '-'}`,
    );
    process.stdout.write(
      `${route.name}: ${count('same')} the same, ${count('differs')} not; ${others.join('; ')}\n`,
    );
    expect(count('same')).toBeGreaterThan(0);
    expect(verdicts.get('differs') ?? []).toEqual([]);
  });
});

/** `unsteady`: bash itself did not do the same twice. `endless`: bash itself did not come to an end. */
async function judge({ name, text, directory: from }: ForeignScript, route: Route): Promise<Verdict> {
  const env = JSON.parse(NACRE_FIDELITY_ENV) as Record<string, string>;
  const comparison = new Comparison({
    from,
    env,
    limitMs: LIMIT_MS,
    options: { policy: { enabled: false } },
  });
  const all: Both[] = [];
  try {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const both = await comparison.run(text, route);
      const last = { bash: comparable(both.bash, true), nacre: comparable(both.nacre, true) };
      all.push(last);
      if (all.some(({ bash }) => all.some(({ nacre }) => keysThatDiffer(bash, nacre).length === 0)))
        return 'same';
      if (attempt === TRIES - 1 && isSteady(all)) tell(`${route.name}: ${name}`, last);
    }
  } catch (error) {
    if (error instanceof EndlessScript) return 'endless';
    tell(`${route.name}: ${name}: ${error instanceof Error ? error.message : error}`, null);
    return 'differs';
  } finally {
    comparison.close();
  }
  return isSteady(all) ? 'differs' : 'unsteady';
}

function isSteady(all: readonly Both[]): boolean {
  const [first] = all;
  return all.some(
    ({ bash }, at) => at > 0 && first !== undefined && keysThatDiffer(bash, first.bash).length === 0,
  );
}

/** The lines that only one of them has. */
function tell(title: string, both: Both | null): void {
  if (NACRE_FIDELITY_LOG === undefined) return;
  const keys = both === null ? [] : keysThatDiffer(both.bash, both.nacre);
  const parts = keys.map((key) => {
    const [bash, nacre] = [both?.bash, both?.nacre].map((seen) => String(seen?.[key]).split('\n'));
    const only = (one: string[] = [], other: string[] = [], sign = ''): string[] =>
      one.filter((line) => !other.includes(line)).map((line) => `${sign} ${line}`);
    return [key, ...only(bash, nacre, '-'), ...only(nacre, bash, '+')].slice(0, 60).join('\n');
  });
  appendFileSync(NACRE_FIDELITY_LOG, `=== ${title}\n${parts.join('\n')}\n`);
}
