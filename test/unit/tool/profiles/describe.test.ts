import { expect, test } from 'vitest';
import { resolveOptions } from '../../../../src/tool/options/resolve-options.ts';
import { agentProfile } from '../../../../src/tool/profiles/agent.ts';
import { modesProfile } from '../../../../src/tool/profiles/modes.ts';
import { renderLongDuration, renderShortDuration } from '../../../../src/tool/profiles/profile.ts';
import { simpleProfile } from '../../../../src/tool/profiles/simple.ts';

const off = { async: { enabled: false } };

test('modes offers the schema that models know', () => {
  expect(modesProfile.inputSchema(resolveOptions({ profile: 'modes' }))).toEqual({
    type: 'object',
    required: ['command'],
    additionalProperties: false,
    properties: {
      command: { type: 'string', description: 'Shell command to execute via bash -c' },
      mode: {
        type: 'string',
        enum: ['default', 'slow', 'background'],
        description: 'Execution mode: default (30s timeout), slow (15min timeout), background (detached)',
      },
    },
  });
});

test('modes describes itself with every paragraph, and the working directory', () => {
  expect(modesProfile.describe(resolveOptions({ profile: 'modes', cwd: '/home/ada/app' }))).toBe(
    `Executes shell commands via bash -c, returning combined stdout/stderr.
Bash state changes (working dir, variables, aliases) don't persist between calls.

With mode="background", returns immediately with output redirected to a file.
Use background for servers/demos that need to stay running.

Use mode="slow" for potentially slow commands: builds, downloads,
installs, tests, or any other substantive operation.

IMPORTANT: Keep commands concise. The command input must be less than 60k tokens.
For complex scripts, write them to a file first and then execute the file.

<pwd>/home/ada/app</pwd>`,
  );
});

test('what is switched off is not named', () => {
  const options = resolveOptions({ profile: 'modes', ...off });
  expect(modesProfile.inputSchema(options).properties.mode?.enum).toEqual(['default', 'slow']);
  expect(modesProfile.describe(options)).not.toContain('background');
  expect(Object.keys(agentProfile.inputSchema(resolveOptions(off)).properties)).not.toContain('async');
  expect(agentProfile.describe(resolveOptions(off))).not.toContain('async');
});

test.each([
  [
    'sandbox',
    'only the directory of the session, `/tmp` and a private home can be written, and there is no network',
  ],
  ['sandbox/read-only', 'only `/tmp` and a private home can be written'],
  ['careful', 'of the network only packages.example.org can be reached, through a proxy'],
  ['ssh:build1', 'Commands run on ssh:build1, not on this machine'],
])('where commands run is said: %s', (host, words) => {
  const hosts = { careful: { type: 'sandbox', network: { allow: ['packages.example.org'] } } } as const;
  expect(agentProfile.describe(resolveOptions({ host, hosts }))).toContain(words);
  expect(agentProfile.describe(resolveOptions({}))).not.toMatch(/sandbox|not on this machine/);
});

test('the limits that are said are the ones in force', () => {
  const options = {
    timeoutMs: 120_000,
    slowTimeoutMs: 3_600_000,
    maxTimeoutMs: 1_800_000,
    jobTimeoutMs: 7_200_000,
  };
  const mode = modesProfile.inputSchema(resolveOptions({ profile: 'modes', ...options })).properties.mode;
  expect(mode?.description).toContain('default (2min timeout), slow (1h timeout)');
  const description = agentProfile.describe(resolveOptions({ cwd: '/srv', ...options }));
  expect(description).toContain('stopped after 120 seconds');
  expect(description).toContain('up to 1800');
  expect(description).toContain('A job is stopped after 120 minutes');
  expect(description).toContain('The first command starts in /srv');
  expect(agentProfile.describe(resolveOptions({ maxTimeoutMs: 60_000 }))).toContain(
    'stopped after 60 seconds',
  );
  expect(simpleProfile.describe(resolveOptions({ profile: 'simple', timeoutMs: 5_000 }))).toContain(
    'at most 5 seconds',
  );
});

test('agent names skills and secrets only where there are any', () => {
  expect(agentProfile.describe(resolveOptions())).not.toContain('skill://');
  expect(agentProfile.describe(resolveOptions({ urls: { skills: { maths: '/m' } } }))).toContain(
    'a skill: maths.',
  );
  expect(agentProfile.describe(resolveOptions())).toContain('look like secrets');
  expect(agentProfile.describe(resolveOptions({ secrets: { withhold: false } }))).not.toContain('secrets');
});

test('agent takes the fields there are and no other', () => {
  expect(Object.keys(agentProfile.inputSchema(resolveOptions()).properties)).toEqual([
    'command',
    'cwd',
    'env',
    'timeout',
    'wait',
    'head',
    'tail',
    'raw',
    'stdin',
    'pty',
    'async',
    'service',
  ]);
});

test('durations are said in the unit people would use', () => {
  expect([1_500, 300_000, 3_600_000, 86_400_000, 900_000].map(renderLongDuration)).toEqual([
    '1.5 seconds',
    '300 seconds',
    '60 minutes',
    '24 hours',
    '15 minutes',
  ]);
  expect([30_000, 900_000, 90_000, 86_400_000].map(renderShortDuration)).toEqual([
    '30s',
    '15min',
    '90s',
    '24h',
  ]);
});
