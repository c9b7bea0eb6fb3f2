import { describe, expect, test } from 'vitest';
import {
  findSecretSubstrings,
  isFilePath,
  isTrivialValue,
} from '../../../../src/engine/shell/secret-patterns.ts';

/** Joined here, so that no secret scanner takes the examples for real secrets. */
const join = (...parts: string[]): string => parts.join('');
const PEM = join('-----BEGIN RSA ', 'PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA ', 'PRIVATE KEY-----');

const SECRETS: readonly (readonly [string, string])[] = [
  ['a personal token of GitHub', join('gh', 'p_', 'a'.repeat(36))],
  ['a fine-grained token of GitHub', join('github', '_pat_', '11AAAAAAA0', 'b'.repeat(40))],
  ['a token of GitLab', join('gl', 'pat-', 'x'.repeat(20))],
  ['a key of a model vendor', join('sk', '-ant-api03-', 'c'.repeat(40))],
  ['a payment key', join('sk', '_live_', 'd'.repeat(24))],
  ['a token of Slack', join('xo', 'xb-123456789012-', 'e'.repeat(24))],
  ['a key id of AWS', join('AK', 'IA', 'ABCDEFGHIJKLMNOP')],
  ['a key of Google', join('AI', 'za', 'f'.repeat(35))],
  ['a token of npm', join('npm', '_', 'g'.repeat(36))],
  ['a signed web token', join('eyJ', 'hbGciOiJIUzI1NiJ9', '.eyJ', 'zdWIiOiIxIn0', '.c2lnbmF0dXJl')],
  ['a private key', PEM],
  ['a service account with a private key in it', JSON.stringify({ type: 'x', private_key: PEM })],
  ['a header with a credential', 'AUTHORIZATION: basic eDpnaHBfYWFhYWFhYWFhYWFh'],
  ['a token in the middle of options', join('-Dtoken=gh', 'p_', 'h'.repeat(36), ' -Xmx1g')],
  ['a database with its password', 'postgres://app:s3cr3tpw@db.example:5432/app'],
  ['a cache with a password and no user', 'redis://:s3cr3tpw@cache.example:6379/0'],
  ['a connection string', 'Server=db;User=app;Password=s3cr3tpw;'],
  ['a webhook', join('https://hooks.slack', '.com/services/', 'T00000000/B00000000/', 'i'.repeat(24))],
];

const HARMLESS: readonly string[] = [
  '/usr/local/bin:/usr/bin:/bin',
  'en_US.UTF-8',
  'sk-SK',
  'rs=0:di=01;34:ln=01;36:mh=00',
  'https://registry.example/path?x=1',
  'https://user@host.example/repo.git',
  'ssh://git@host.example:22/repo.git',
  'postgres://localhost:5432/app',
  'http://[::1]:8080/',
  'da39a3ee5e6b4b0d3255bfef95601890afd80709',
  '123e4567-e89b-12d3-a456-426614174000',
  'npm/10.8.2 node/v20.20.2 linux x64 workspaces/false',
  'unix:path=/run/user/1000/bus,guid=0123456789abcdef0123456789abcdef',
  '() {  eval "$(command getopts)"\n}',
  '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
  'task-management-service-with-long-name',
  'ghost_town_is_not_a_token_of_anything',
];

describe('what a secret looks like', () => {
  test.each(SECRETS)('%s is one', (_what, value) => {
    expect(findSecretSubstrings(value)).not.toEqual([]);
  });

  test.each(HARMLESS)('%s is none', (value) => {
    expect(findSecretSubstrings(value)).toEqual([]);
  });

  test('of a web address only the credentials are the secret', () => {
    expect(findSecretSubstrings('postgres://app:p%40ss-w0rd@db/app')).toEqual([
      'app:p%40ss-w0rd@',
      'p%40ss-w0rd',
      'p@ss-w0rd',
    ]);
  });

  test('a very long value is looked through in one go', () => {
    // Each of these took minutes with a pattern that backtracks from every character.
    for (const piece of ['a', 'http://', 'eyJaaaaaa.', 'basic ', 'password=', '-----BEGIN A ', '://a:']) {
      expect(findSecretSubstrings(piece.repeat(1_000_000 / piece.length))).toBeInstanceOf(Array);
    }
  });

  test('flags and counts are not secrets', () => {
    for (const value of ['', '1', 'true', 'No', '4096', '128k', ' off '])
      expect(isTrivialValue(value)).toBe(true);
    for (const value of ['12345678', 'trueish', 'x']) expect(isTrivialValue(value)).toBe(false);
  });

  test('the path of a key file is told from a key', () => {
    for (const value of ['/home/ada/key.json', '~/keys/id.pem', './a.key'])
      expect(isFilePath(value)).toBe(true);
    for (const value of ['/wJalrXUtnFEMI/K7MDENG', 'key.json', '/a b.json'])
      expect(isFilePath(value)).toBe(false);
  });
});
