import { describe, expect, test } from 'vitest';
import { buildEnvironment } from '../../../../src/engine/shell/child-environment.ts';
import {
  namesMentionedIn,
  type SecretRules,
  withholdSecrets,
} from '../../../../src/engine/shell/withhold-secrets.ts';

const ENV = {
  HOME: '/home/ada',
  GITHUB_TOKEN: 'abc123def456',
  INTERNAL_URL: 'https://x.example',
  DATABASE_URL: 'postgres://app:s3cr3tpw@db/app',
};

function sort(env: Record<string, string>, rules: Partial<SecretRules> = {}) {
  const sorted = withholdSecrets(new Map(Object.entries(env)), { allow: [], deny: [], grants: [], ...rules });
  return { ...sorted, passed: Object.fromEntries(sorted.passed) };
}

describe('secrets of the environment', () => {
  test('they are withheld by name and by value, and masked', () => {
    const { passed, withheld, maskValues } = sort(ENV);
    expect(passed).toEqual({ HOME: '/home/ada', INTERNAL_URL: 'https://x.example' });
    expect(withheld).toEqual(['DATABASE_URL', 'GITHUB_TOKEN']);
    expect(maskValues).toEqual(['app:s3cr3tpw@', 'abc123def456', 's3cr3tpw']);
  });

  test('what is allowed is passed on and shown', () => {
    const { passed, maskValues } = sort(ENV, { allow: ['github_*', 'DATABASE_URL'] });
    expect(passed).toEqual(ENV);
    expect(maskValues).toEqual([]);
  });

  test('what is denied is withheld and masked even when it looks harmless or is allowed', () => {
    const { withheld, maskValues } = sort(ENV, { allow: ['*'], deny: ['INTERNAL_*'] });
    expect(withheld).toEqual(['INTERNAL_URL']);
    expect(maskValues).toEqual(['https://x.example']);
  });

  test('what is granted is passed on and masked, and only by its exact name', () => {
    const { passed, withheld, maskValues } = sort(ENV, { grants: ['GITHUB_TOKEN', 'DATABASE_*'] });
    expect(passed).toMatchObject({ GITHUB_TOKEN: 'abc123def456' });
    expect(withheld).toEqual(['DATABASE_URL']);
    expect(maskValues).toContain('abc123def456');
  });

  test('a pattern is a name with stars, not a regular expression', () => {
    expect(sort({ 'A.B': 'x', AXB: 'x', C: 'x' }, { deny: ['A.B', 'C|AXB', '['] }).withheld).toEqual(['A.B']);
  });

  test('flags and counts whose names sound like secrets are passed on', () => {
    const env = { MAX_TOKENS: '4096', DISABLE_AUTH: 'true', USE_PASSWORD: '', SKIP_TOKEN: '1' };
    expect(sort(env)).toEqual({ passed: env, withheld: [], maskValues: [] });
  });

  test('where a key lies is no secret, and a key that begins with a slash is one', () => {
    const env = { GOOGLE_APPLICATION_CREDENTIALS: '/home/ada/key.json', SSL_KEY: '/etc/ssl/key.pem' };
    expect(sort(env).passed).toEqual(env);
    expect(sort({ AWS_SECRET_ACCESS_KEY: '/JalrXUtnFEMI/K7MDENG.x' }).withheld).toEqual([
      'AWS_SECRET_ACCESS_KEY',
    ]);
  });

  test('a proxy is kept, and the password in it is masked', () => {
    const env = {
      HTTPS_PROXY: 'http://ada:tr0ub4dor@proxy:3128',
      http_proxy: 'http://ada:tr0ub4dor@proxy:3128',
    };
    const { passed, maskValues } = sort(env);
    expect(passed).toEqual(env);
    expect(maskValues).toEqual(['ada:tr0ub4dor@', 'tr0ub4dor']);
  });

  test('git still finds as many settings as it was told to expect', () => {
    const header = 'AUTHORIZATION: basic eDpnaHBfYWFhYWFhYWFhYWFh';
    const { passed, withheld } = sort({
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'http.extraheader',
      GIT_CONFIG_VALUE_0: header,
      GIT_CONFIG_KEY_1: 'user.name',
      GIT_CONFIG_VALUE_1: 'Ada',
    });
    expect(withheld).toEqual(['GIT_CONFIG_VALUE_0']);
    expect(passed).toEqual({
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'nacre.withheld',
      GIT_CONFIG_VALUE_0: '',
      GIT_CONFIG_KEY_1: 'user.name',
      GIT_CONFIG_VALUE_1: 'Ada',
    });
  });

  test('everyday words and short texts are withheld but not masked', () => {
    const env = {
      DB_PASSWORD: 'postgres',
      APP_SECRET: 'abc',
      API_KEY: 'Changeme',
      A_TOKEN: 'hunter',
      B_TOKEN: 'hunter2',
    };
    const { withheld, maskValues } = sort(env);
    expect(withheld).toEqual(Object.keys(env).sort());
    expect(maskValues).toEqual(['hunter2']);
  });

  test('a key of several lines is masked whole and line by line', () => {
    const body = ['MIIEowIBAAKCAQEAabcdefgh', 'ijklmnopqrstuvwxyz012345'];
    const pem = [
      '-----BEGIN PRIVATE',
      ' KEY-----\n',
      body.join('\n'),
      '\n-----END PRIVATE',
      ' KEY-----\n',
    ].join('');
    expect(sort({ DEPLOY_KEY: pem }).maskValues).toEqual([pem.trim(), ...body]);
  });

  test('what the session or the call gives by name reaches the command and is not reported as withheld', () => {
    const { env, withheld, maskValues } = buildEnvironment({
      inherited: ENV,
      session: { GITHUB_TOKEN: 'session-value-1' },
      call: { DATABASE_URL: 'sqlite:x.db', CALL_TOKEN: 'call-value-22' },
      disarm: 'pipe',
      ci: true,
      secrets: { allow: [], deny: [], grants: [] },
    });
    expect(env).toMatchObject({ GITHUB_TOKEN: 'session-value-1', DATABASE_URL: 'sqlite:x.db' });
    expect(withheld).toEqual([]);
    expect(maskValues).toEqual(expect.arrayContaining(['abc123def456', 'session-value-1']));
    expect(maskValues).not.toContain('call-value-22');
  });

  test('a text mentions a name only as a whole word', () => {
    const names = ['GITHUB_TOKEN', 'TOKEN', 'A.B'];
    expect(namesMentionedIn('echo "$GITHUB_TOKEN" A1B', names)).toEqual(['GITHUB_TOKEN']);
    expect(namesMentionedIn('curl -H "x: ${TOKEN:-}"', names)).toEqual(['TOKEN']);
  });
});
