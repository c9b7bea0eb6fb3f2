import { expect, test } from 'vitest';
import { isAllowed, isInner } from '../../../../src/engine/hosts/sandbox/network/allowed.ts';

const LIST = ['packages.example.org', '*.github.com', 'localhost:5432'];

test.each([
  ['packages.example.org', 443, true],
  ['PACKAGES.example.org.', 80, true],
  ['packages.example.org', 22, false],
  ['evil-packages.example.org', 443, false],
  ['packages.example.org.evil.test', 443, false],
  ['api.github.com', 443, true],
  ['a.b.github.com', 443, true],
  ['github.com', 443, false],
  ['evilgithub.com', 443, false],
  ['localhost', 5432, true],
  ['localhost', 80, false],
  ['127.0.0.1', 5432, false],
  ['', 443, false],
])('%s:%i on the list is %s', (host, port, isOn) => {
  expect(isAllowed(LIST, { host, port })).toBe(isOn);
});

test('an empty list lets nobody through', () => {
  expect(isAllowed([], { host: 'example.org', port: 443 })).toBe(false);
});

test.each(['127.0.0.1', '127.8.8.8', '0.0.0.0', '169.254.169.254', '::1', 'fe80::1', '::ffff:127.0.0.1'])(
  '%s is this machine, or the one below',
  (address) => expect(isInner(address)).toBe(true),
);
