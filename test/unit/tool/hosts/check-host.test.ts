import { expect, test } from 'vitest';
import { findHostConfig } from '../../../../src/tool/hosts/find-host.ts';
import { checkHostConfig, checkHostConfigs } from '../../../../src/tool/options/host-config.ts';

test.each([
  [{}, 'Option hosts.x.type must be sandbox, ssh'],
  [{ type: 'sandbx' }, 'Option hosts.x.type must be sandbox'],
  [{ type: 'ssh' }, 'Option hosts.x.destination must be a name without spaces'],
  [{ type: 'ssh', destination: '-oProxyCommand=evil' }, 'does not begin with a dash'],
  [{ type: 'docker', container: '--privileged' }, 'does not begin with a dash'],
  [{ type: 'sandbox', prset: 'x' }, "Unknown option 'hosts.x.prset'. Did you mean 'preset'?"],
  [{ type: 'sandbox', network: { allow: ['http://x'] } }, 'off, on, or {allow: a list of host names}'],
  [{ type: 'sandbox', writable: ['relative'] }, 'a list of paths that begin with / or ~/'],
  [{ type: 'sandbox', cpus: 0 }, 'a number above 0'],
  [7, 'Option hosts.x must be an object'],
])('%j is refused', (config, message) => {
  expect(() => checkHostConfig('x', config)).toThrow(message);
});

test('names stand for hosts', () => {
  const box = { type: 'ssh', destination: 'b' } as const;
  expect(findHostConfig('local', {})).toBe(null);
  expect(findHostConfig('sandbox', {})).toEqual({ type: 'sandbox' });
  expect(findHostConfig('ssh:ada@b', {})).toEqual({ type: 'ssh', destination: 'ada@b' });
  expect(findHostConfig('box', { box })).toBe(box);
  expect(() => findHostConfig('bxo', { box })).toThrow("Unknown host 'bxo'. Available hosts: local, sandbox");
  expect(() => findHostConfig('ssh:-oX', {})).toThrow('does not begin with a dash');
  expect(() => findHostConfig('toString', {})).toThrow("Unknown host 'toString'");
});

test.each([
  [{ a: { type: 'pool', hosts: ['a'] } }, 'hosts.a.hosts must be names of hosts that are no pools'],
  [
    { a: { type: 'pool', hosts: ['b'] }, b: { type: 'pool', hosts: ['a'] } },
    'hosts.a.hosts must be names of hosts that are no pools',
  ],
  [{ a: { type: 'pool', hosts: [] } }, 'a list of at least one name of a host'],
  [{ local: { type: 'slurm' } }, 'another name: local is this machine'],
  [{ sandbox: { type: 'ssh', destination: 'box' } }, 'sandbox, for a host of this name'],
  [{ 'a\nb': { type: 'slurm' } }, 'names of letters, digits'],
])('hosts that mean nothing together are refused: %j', (hosts, message) => {
  expect(() => checkHostConfigs(hosts)).toThrow(message);
});

test('hosts that mean something together are taken', () => {
  checkHostConfigs({
    sandbox: { type: 'sandbox', preset: 'read-only' },
    gpu: { type: 'ssh', destination: 'ada@gpu1' },
    farm: { type: 'pool', hosts: ['gpu', 'ssh:build1'] },
  });
});
