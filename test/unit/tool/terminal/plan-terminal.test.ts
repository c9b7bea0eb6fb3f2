import { expect, onTestFinished, test, vi } from 'vitest';
import { planTerminal } from '../../../../src/tool/call/call-environment.ts';
import type { CallOptions } from '../../../../src/tool/contract/call-options.ts';
import type { ResolvedOptions } from '../../../../src/tool/options/bash-options.ts';
import type { CallRequest } from '../../../../src/tool/profiles/profile.ts';

const options = { inheritedEnv: {}, virtualTerminal: 'off' } as unknown as ResolvedOptions;
const asked = { pty: true, background: true } as CallRequest;
const call: CallOptions = {};

function onPlatform(platform: NodeJS.Platform): void {
  vi.spyOn(process, 'platform', 'get').mockReturnValue(platform);
  onTestFinished(() => void vi.restoreAllMocks());
}

test('where no program makes terminals a command runs without one, and is told so', () => {
  onPlatform('darwin');
  expect(planTerminal(asked, { options, call, isSandboxedOrRemote: false })).toEqual({
    terminal: null,
    notes: ['Ran without a terminal: script(1) of util-linux is not installed.'],
  });
});

test('who did not ask for one is told nothing', () => {
  onPlatform('darwin');
  const wanted = { ...options, virtualTerminal: 'on' } as ResolvedOptions;
  const shown = { terminal: { columns: 100, rows: 30 } } as unknown as CallOptions;
  const quiet = { ...asked, pty: false, background: false };
  expect(planTerminal(quiet, { options: wanted, call: shown, isSandboxedOrRemote: false })).toEqual({
    terminal: null,
    notes: [],
  });
});

test('where one does, a job has a terminal of the usual size', () => {
  onPlatform('linux');
  expect(planTerminal(asked, { options, call, isSandboxedOrRemote: false })).toMatchObject({
    terminal: { columns: 80, rows: 24, program: expect.stringMatching(/script$/) },
    notes: [],
  });
});

test('on another host there are none, and that is said', () => {
  expect(planTerminal(asked, { options, call, isSandboxedOrRemote: true })).toEqual({
    terminal: null,
    notes: ['Ran without a terminal: this host has none.'],
  });
});
