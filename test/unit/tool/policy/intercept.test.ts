import { describe, expect, test } from 'vitest';
import { NacreError } from '../../../../src/errors.ts';
import { createPolicy } from '../../../../src/tool/approvals/create-policy.ts';
import type { InterceptorOptions } from '../../../../src/tool/contract/policy-options.ts';

const TOOLS = ['read', 'search', 'find', 'edit', 'write'];

function suggested(
  command: string,
  tools: readonly string[] = TOOLS,
  more: InterceptorOptions = {},
): string | undefined {
  const policy = createPolicy({ interceptor: { enabled: true, ...more } });
  return policy.intercept([command], { tools }).suggestedTool;
}

describe('the default rules', () => {
  test.each([
    ['cat src/a.ts', 'read'],
    ['head -n 20 a.log', 'read'],
    ['tail -5 a.log', 'read'],
    ['less a', 'read'],
    ['more a', 'read'],
    ['grep -rn main src', 'search'],
    ['rg main', 'search'],
    ['ripgrep main', 'search'],
    ['ag main', 'search'],
    ['ack main', 'search'],
    ["find . -name '*.ts'", 'find'],
    ['find src -type f', 'find'],
    ['fd -t f main', 'find'],
    ["locate '*.conf'", 'find'],
    ["sed -i 's/a/b/' f", 'edit'],
    ["perl -pi -e 's/a/b/' f", 'edit'],
    ["awk -i inplace '{print}' f", 'edit'],
    ['echo x > f', 'write'],
    ['printf x >> f', 'write'],
    ['cat > f << EOF\nx\nEOF', 'write'],
    ['cat << EOF > f\nx\nEOF', 'write'],
  ])('%s goes to %s', (command, tool) => {
    expect(suggested(command)).toBe(tool);
  });

  test.each([
    'ps aux | grep node',
    'npm test 2>&1 | tail -20',
    'git log | head -5',
    'tail -f a.log',
    'echo hello',
    'echo hello > /dev/null',
    'echo hello >&2',
    'echo hello 2> errors',
    "sed -n '1,5p' f",
    'find . -newer a',
    "git commit -m 'cat a | grep b'",
    'sudo cat /etc/hosts',
    'npm run find',
  ])('%s is left alone', (command) => {
    expect(suggested(command)).toBeUndefined();
  });

  test('a command in the middle of others is found', () => {
    expect(suggested('npm run build && cat dist/a.js')).toBe('read');
    expect(suggested('LC_ALL=C grep -r x src | sort')).toBe('search');
  });
});

test('a rule applies only when its tool exists', () => {
  expect(suggested('cat a', ['search'])).toBeUndefined();
  expect(suggested('cat a', [])).toBeUndefined();
});

test('the interceptor is disabled by default', () => {
  expect(createPolicy().judge('cat a', { tools: TOOLS }).verdict).toBe('allow');
  expect(createPolicy().intercept(['cat a'], { tools: TOOLS }).verdict).toBe('allow');
});

test('the message names the tool and the command', () => {
  const policy = createPolicy({ interceptor: { enabled: true } });
  const { verdict, message } = policy.intercept(['cd app && cat a', 'cat a'], { tools: TOOLS });
  expect(verdict).toBe('deny');
  expect(message).toMatch(/^Blocked: Use the `read` tool .*\n\nOriginal command: cd app && cat a$/s);
});

test('a warning is reported and does not stop the command', () => {
  const policy = createPolicy({ interceptor: { enabled: true, mode: 'warn' } });
  const { verdict, message, suggestedTool } = policy.judge('cat a', { tools: TOOLS });
  expect([verdict, suggestedTool]).toEqual(['allow', 'read']);
  expect(message).toMatch(/^Use the `read` tool/);
});

test('custom rules replace the default rules', () => {
  const rules = [{ pattern: '^JQ\\b', flags: 'i', tool: 'json', message: 'Use json.' }];
  expect(suggested('jq . a', ['json', 'read'], { rules })).toBe('json');
  expect(suggested('cat a', ['json', 'read'], { rules })).toBeUndefined();
});

test.each([
  [
    { pattern: '(', tool: 'x', message: 'm' },
    /^Rule interceptor rule 1 \(\(\) is invalid: .*regular expression/i,
  ],
  [
    { pattern: 'a', tool: '', message: 'm' },
    /^Rule interceptor rule 1 is invalid: tool must be text that is not empty/,
  ],
])('an invalid rule is an error that names it', (rule, message) => {
  const make = (): unknown => createPolicy({ interceptor: { enabled: true, rules: [rule] } });
  expect(make).toThrow(NacreError);
  expect(make).toThrow(message);
});
