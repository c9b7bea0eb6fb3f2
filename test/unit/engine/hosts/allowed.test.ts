import { expect, test } from 'vitest';
import {
  classifyAddress,
  matchTarget,
  parseTarget,
} from '../../../../src/engine/hosts/sandbox/network-proxy.ts';

const LIST = ['packages.example.org', '*.github.com', 'localhost:5432', '10.0.0.5:8080', '[fd00::5]:8080'];

function match(text: string, list = LIST) {
  const target = parseTarget(text);
  return target === null ? null : matchTarget(list, target);
}

test.each([
  ['packages.example.org:443', 'exact'],
  ['PACKAGES.example.org.:80', 'exact'],
  ['packages.example.org:22', null],
  ['evil-packages.example.org:443', null],
  ['packages.example.org.evil.test:443', null],
  ['api.github.com:443', 'wildcard'],
  ['a.b.github.com:443', 'wildcard'],
  ['github.com:443', null],
  ['.github.com:443', null],
  ['evilgithub.com:443', null],
  ['localhost:5432', 'exact'],
  ['localhost:80', null],
  ['127.0.0.1:5432', null],
  ['10.0.0.5:8080', 'exact'],
  ['[::ffff:10.0.0.5]:8080', 'exact'],
  ['[fd00:0::5]:8080', 'exact'],
  [':443', null],
  ['', null],
])('%s on the list is %s', (text, expected) => {
  expect(match(text)).toBe(expected);
});

test.each([
  ...['[::ffff:127.0.0.1%.github.com]:443', '::ffff:127.0.0.1%.github.com:443', '[fe80::1%eth0]:443'],
  ...['[::1%25.github.com]:443', '127.0.0.1%.github.com:443', '[127.0.0.1]:443', '[a.github.com]:443'],
  ...['[::1.github.com]:443', '127.1:443', '2130706433:443', '0x7f.1:443', '0177.0.0.1:443', '::1:443'],
  ...['a.github.com', 'a.github.com:0', 'a.github.com:65536', 'a.github.com:443:443', 'a@b.github.com:443'],
  ...['a b.github.com:443', 'a\0.github.com:443', '127.0.0.1#.github.com:443', '127.0.0.1/.github.com:443'],
  ...[
    'a..github.com:443',
    '-a.github.com:443',
    'a.github.com:+443',
    'é.github.com:443',
    '[::1:443',
    '::1]:443',
  ],
])('%s is no target', (text) => expect(parseTarget(text)).toBeNull());

test('an address is not below a name', () => {
  expect(match('1.2.3.4:443', ['*.3.4', '*.4'])).toBeNull();
  expect(match('[2001:db8::1]:443', ['*.github.com', '*.'])).toBeNull();
});

test('an empty list lets no target through', () => {
  expect(match('example.org:443', [])).toBeNull();
});

test.each([
  ...['127.0.0.1', '127.8.8.8', '0.0.0.0', '169.254.169.254', '::1', '::', 'fe80::1', 'fe80::1%eth0'],
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:7f00:0001', '::127.0.0.1', '64:ff9b::127.0.0.1'],
  ...['203.0.113.7', '::ffff:203.0.113.7', '2001:db8:0::7', '255.255.255.255', 'ff02::1', 'nonsense'],
])('%s is this machine', (address) => {
  expect(classifyAddress(address, ['203.0.113.7', '2001:db8::7'])).toBe('local');
});

test.each([
  '10.1.2.3',
  '172.31.0.1',
  '192.168.1.1',
  '100.64.0.1',
  'fd00::1',
  '::ffff:10.1.2.3',
  '64:ff9b::a01:203',
])('%s is of a private network', (address) => expect(classifyAddress(address, [])).toBe('private'));

test.each(['203.0.113.7', '2001:db8::7', '172.32.0.1', '::ffff:203.0.113.7', '64:ff9b::203.0.113.7'])(
  '%s is public',
  (address) => expect(classifyAddress(address, [])).toBe('public'),
);
