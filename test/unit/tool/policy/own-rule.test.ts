import { describe, expect, test } from 'vitest';
import { createBash, defineRule, type Invocation, type PolicyRule } from '../../../../src/index.ts';
import { createPolicy } from '../../../../src/tool/approvals/create-policy.ts';

const noProduction = defineRule({
  id: 'no_production',
  commands: ['kubectl'],
  message: 'permission denied: production is not yours',
  instead: 'kubectl --namespace staging',
  check: ({ options }) => {
    const parsed = options({ short: 'n', long: ['namespace='], permute: true });
    return parsed.value('n', 'namespace') === 'production' ? 'it is in production' : null;
  },
  examples: { match: ['kubectl -n production get pods'], noMatch: ['kubectl -n staging get pods'] },
});

function seen(command: string): Invocation {
  const found: Invocation[] = [];
  const watching = defineRule({
    ...noProduction,
    id: 'watching',
    commands: ['x'],
    check: (each) => {
      found.push(each);
      return 'seen';
    },
    examples: { match: ['x'] },
  });
  const policy = createPolicy({ rules: [watching] });
  found.length = 0;
  policy.judge(command);
  const [first] = found;
  if (first === undefined) throw new Error('nobody was seen');
  return first;
}

describe('a custom rule', () => {
  test.each([
    'kubectl --namespace=production get pods',
    'sudo kubectl get pods -n production',
    "bash -c 'ns=production; kubectl -n $ns apply -f .'",
    'echo $(kubectl -nproduction get pods)',
  ])('sees %s', (command) => {
    const { verdict, message } = createPolicy({ rules: [noProduction] }).judge(command);
    expect(verdict).toBe('deny');
    expect(message).toMatch(
      /^permission denied: production is not yours\n {2}found: kubectl .*\(it is in production\)/,
    );
    expect(message).toMatch(/instead: kubectl --namespace staging$/);
  });

  test('affects no other command and leaves the built-in checks enabled', () => {
    const policy = createPolicy({ rules: [noProduction] });
    expect(policy.judge('kubectl get pods; echo kubectl -n production').verdict).toBe('allow');
    expect(policy.judge('git add -A').verdict).toBe('deny');
  });

  test('receives the known properties of a command', () => {
    expect(seen('cd /srv && X=1 env x -v "$1" "$(cat f)/a" > out')).toMatchObject({
      name: 'x',
      words: ['-v', null, null],
      text: 'x -v … …/a',
      via: ['env'],
      cwd: ['/srv'],
      writes: ['out'],
      piped: false,
    });
    expect(seen('a | x').piped).toBe(true);
    const { has, value, operands } = seen('x a -vf --to=b -- -c').options({ long: ['to='], permute: true });
    expect([has('f'), has('c'), value('to'), value('f'), operands]).toEqual([
      true,
      false,
      'b',
      undefined,
      ['a', '-c'],
    ]);
  });

  test('may ask or warn', () => {
    const judge = (verdict: 'ask' | 'warn') =>
      createPolicy({ rules: [{ ...noProduction, verdict }] }).judge('kubectl -n production get pods');
    expect(judge('ask')).toMatchObject({
      verdict: 'ask',
      question: { parts: ['kubectl -n production get pods'], reason: noProduction.message, always: [] },
    });
    expect(judge('warn')).toMatchObject({ verdict: 'allow', findings: [{ rule: 'no_production' }] });
  });

  test('that throws refuses the command', () => {
    const check = (each: Invocation): string | null => {
      if (each.words.length === 0) return 'alone';
      throw new Error('broken');
    };
    const policy = createPolicy({ rules: [{ ...noProduction, check, examples: { match: ['kubectl'] } }] });
    expect(policy.judge('kubectl get').message).toContain('the rule itself failed: broken');
  });
});

describe('an invalid rule is an error that names it when the tool is created', () => {
  test.each([
    [{ examples: { match: ['ls'] } }, 'it does not match its example: ls'],
    [
      { examples: { match: ['kubectl -n production x'], noMatch: ['kubectl -n production y'] } },
      'it matches its counter-example: kubectl -n production y',
    ],
    [{ examples: { match: [] } }, 'examples.match is empty'],
    [{ commands: 'kubectl' }, 'commands must be a list of names, got the text "kubectl"'],
    [{ verdict: 'maybe' }, 'verdict must be deny, ask or warn, got the text "maybe"'],
    [{ check: undefined }, 'check must be a function, got'],
    [{ mesage: 'x' }, "unknown field 'mesage'. Did you mean 'message'?"],
    [{ commands: [] }, 'commands is empty'],
  ])('%j', (change, problem) => {
    const rules = [{ ...noProduction, ...change } as unknown as PolicyRule];
    expect(() => createBash({ policy: { rules } })).toThrow(`Rule no_production is invalid: ${problem}`);
  });

  test('a rule with the id of another rule is invalid', () => {
    const make = (rules: readonly PolicyRule[]) => () => createBash({ policy: { rules } });
    expect(make([noProduction, noProduction])).toThrow('another rule has the same id');
    expect(make([{ ...noProduction, id: 'no_force_push' }])).toThrow('a built-in check has this id');
  });
});
