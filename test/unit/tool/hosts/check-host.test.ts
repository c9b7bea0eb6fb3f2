import { expect, test } from 'vitest';
import { checkHost } from '../../../../src/tool/hosts/check-host.ts';
import { findHost } from '../../../../src/tool/hosts/find-host.ts';

test.each([
  [{}, 'Option hosts.x.type must be sandbox or ssh'],
  [{ type: 'sandbx' }, 'Option hosts.x.type must be sandbox'],
  [{ type: 'ssh' }, 'Option hosts.x.destination must be a name without spaces'],
  [{ type: 'ssh', destination: '-oProxyCommand=evil' }, 'does not begin with a dash'],
  [{ type: 'docker', container: '--privileged' }, 'does not begin with a dash'],
  [{ type: 'sandbox', prset: 'x' }, 'did you mean preset?'],
  [{ type: 'sandbox', network: { allow: ['http://x'] } }, 'off, on, or {allow: a list of host names}'],
  [{ type: 'sandbox', writable: ['relative'] }, 'a list of paths that begin with / or ~/'],
  [{ type: 'sandbox', cpus: 0 }, 'a number above 0'],
  [7, 'Option hosts.x must be an object'],
])('%j is refused', (config, message) => {
  expect(() => checkHost('x', config)).toThrow(message);
});

test('names stand for hosts', () => {
  const box = { type: 'ssh', destination: 'b' } as const;
  expect(findHost('local', {})).toBe(null);
  expect(findHost('sandbox', {})).toEqual({ type: 'sandbox' });
  expect(findHost('ssh:ada@b', {})).toEqual({ type: 'ssh', destination: 'ada@b' });
  expect(findHost('box', { box })).toBe(box);
  expect(() => findHost('bxo', { box })).toThrow('There is no host bxo. There are: local, sandbox');
  expect(() => findHost('ssh:-oX', {})).toThrow('does not begin with a dash');
  expect(() => findHost('toString', {})).toThrow('There is no host toString');
});
