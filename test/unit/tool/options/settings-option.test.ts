import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createBash } from '../../../../src/index.ts';
import type { BashOptions } from '../../../../src/tool/options/bash-options.ts';
import { withSettings } from '../../../../src/tool/options/settings.ts';
import { temporaryDirectory } from '../../../helpers/temporary-directory.ts';

afterEach(() => vi.unstubAllEnvs());

/** A home directory with a settings file. */
function setUp(settings: unknown): { root: string; file: string; env: Record<string, string> } {
  const root = temporaryDirectory();
  const file = join(root, 'nacre/settings.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(settings));
  return { root, file, env: { HOME: root, XDG_CONFIG_HOME: root } };
}

const DENY = { 'policy.approvals.otherwise': 'deny' };

describe('settings of a program that calls createBash', () => {
  test("'auto', the default, reads host, hosts, policy and secrets, and nothing else", () => {
    const hosts = { box: { type: 'ssh', destination: 'box' } };
    const { env } = setUp({
      host: 'box',
      hosts,
      secrets: { deny: ['A'] },
      timeoutMs: 5,
      serial: true,
      ...DENY,
    });
    expect(withSettings({}, { ...env, NACRE_SECRETS_DENY: 'B', NACRE_GRACE_MS: '7' })).toEqual({
      host: 'box',
      hosts,
      secrets: { deny: ['A', 'B'] },
      policy: { approvals: { otherwise: 'deny' } },
    });
    expect(withSettings({ settings: 'auto' }, { ...env, NACRE_HOST: 'sandbox' }).host).toBe('sandbox');
  });

  test('a given option wins, and the others of its group still come from the settings', () => {
    const { env } = setUp({ host: 'sandbox', 'policy.homeSubpaths': 'allow', ...DENY });
    const given: BashOptions = { host: null, policy: { approvals: { otherwise: 'ask' } } };
    expect(withSettings(given, env)).toEqual({
      host: null,
      policy: { homeSubpaths: 'allow', approvals: { otherwise: 'ask' } },
    });
    expect(given).toEqual({ host: null, policy: { approvals: { otherwise: 'ask' } } });
  });

  test('false reads neither file nor variables', () => {
    const { env } = setUp({ host: 'sandbox' });
    expect(withSettings({ settings: false }, { ...env, NACRE_HOST: 'sandbox' })).toEqual({ settings: false });
  });

  test('a path reads all options of that file and of the variables, and not the user’s file', () => {
    const { root, env } = setUp({ host: 'sandbox' });
    const file = join(root, 'mine.json');
    writeFileSync(file, '{"timeoutMs": "5s", "mcp.http.idleMs": 1000}');
    expect(withSettings({ settings: file }, { ...env, NACRE_SERIAL: '1' })).toEqual({
      settings: file,
      timeoutMs: 5_000,
      serial: true,
    });
    expect(() => withSettings({ settings: `${file}.missing` }, env)).toThrow(
      `${file}.missing cannot be read: ENOENT`,
    );
  });

  test('a setting that is misspelt or invalid is an error with the file, and never ignored', () => {
    const misspelt = setUp({ polciy: { enabled: false } });
    expect(() => withSettings({}, misspelt.env)).toThrow(
      `${misspelt.file}:1: unknown setting 'polciy.enabled'.`,
    );
    const rule = setUp({ 'policy.approvals.rules': [{ action: 'deny', pattern: '(' }] });
    expect(() => withSettings({}, rule.env)).toThrow(
      `${rule.file}:1: policy.approvals.rules: Rule approval rule 1`,
    );
    expect(() => withSettings({}, { NACRE_POLICY_ENABLED: 'maybe' })).toThrow(
      'NACRE_POLICY_ENABLED must be true',
    );
    // A setting that does not concern the library is not read, and its value does not matter.
    expect(withSettings({}, setUp({ graceMs: -1 }).env)).toEqual({});
  });

  test('createBash applies the settings of the process', async () => {
    const { root } = setUp(DENY);
    vi.stubEnv('XDG_CONFIG_HOME', root);
    const options = { stateDirectory: join(root, 'state'), readyShells: 0 };
    for (const [settings, status] of [['auto', 'refused'] as const, [false, 'exited'] as const]) {
      const bash = createBash({ ...options, settings });
      expect((await bash.call({ command: 'true' })).run).toMatchObject({ status });
      await bash.close();
    }
    vi.stubEnv('NACRE_HOST', 'nowhere');
    expect(() => createBash(options)).toThrow('nowhere');
    await createBash({ ...options, settings: false }).close();
  });
});
