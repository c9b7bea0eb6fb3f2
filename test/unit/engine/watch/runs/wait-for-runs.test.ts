import { getEventListeners, once } from 'node:events';
import { appendFileSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSecretMask } from '../../../../../src/engine/output/secret-mask.ts';
import type { RunState } from '../../../../../src/engine/run/run-state.ts';
import type { StoredRun } from '../../../../../src/engine/run/run-store.ts';
import type { WaitCondition, WaitResult } from '../../../../../src/engine/watch/wait-for-runs.ts';
import { type WaitOptions, waitForRuns } from '../../../../../src/engine/watch/wait-for-runs.ts';
import { temporaryDirectory } from '../../../../helpers/temporary-directory.ts';

const RUNNING: RunState = { kind: 'running' };
const LONG_AGO = 1000;

function ended(endedAt = LONG_AGO, behind: readonly number[] = []): RunState {
  return {
    kind: 'ended',
    ending: { kind: 'exited', exitCode: 0 },
    endedAt,
    leftoverPids: behind,
    callerGone: false,
  };
}

/** A store of runs whose state is what the test says. */
class FakeStore {
  readonly #root = temporaryDirectory();
  readonly #states = new Map<string, RunState>();
  looks = 0;

  set(id: string, state: RunState): void {
    mkdirSync(join(this.#root, id), { recursive: true });
    this.#states.set(id, state);
  }

  print(id: string, text: string): void {
    appendFileSync(join(this.#root, id, 'out'), text);
  }

  find(id: string): StoredRun | null {
    this.looks += 1;
    const state = this.#states.get(id);
    const directory = join(this.#root, id);
    return state === undefined
      ? null
      : { id, directory, asked: {}, startedAt: 0, pid: null, supervisor: null, processes: null, state };
  }

  wait(conditions: readonly WaitCondition[], more: Omit<WaitOptions, 'store'> = {}): Promise<WaitResult> {
    return waitForRuns(conditions, { store: this, ...more });
  }

  /** Resolves after a number of further checks. */
  async untilLooked(times = 2): Promise<void> {
    const before = this.looks;
    await expect
      .poll(() => this.looks - before, { timeout: 20_000, interval: 1 })
      .toBeGreaterThanOrEqual(times);
  }
}

function storeWith(runs: Readonly<Record<string, RunState>>): FakeStore {
  const store = new FakeStore();
  for (const [id, state] of Object.entries(runs)) store.set(id, state);
  return store;
}

test('a run that has ended is reported at once, with its exit status', async () => {
  const store = storeWith({ a: ended() });
  expect(await store.wait([{ kind: 'ended', run: 'a' }])).toMatchObject({
    kind: 'held',
    held: [{ kind: 'ended', condition: 0, run: { id: 'a', state: { ending: { exitCode: 0 } } } }],
  });
});

test('a later exit is reported later', async () => {
  const store = storeWith({ a: RUNNING });
  const waiting = store.wait([{ kind: 'ended', run: 'a' }]);
  await store.untilLooked();
  store.set('a', ended());
  expect(await waiting).toMatchObject({ kind: 'held' });
});

test('of several the one that holds is named by its place; if several hold, all of them', async () => {
  const store = storeWith({ a: RUNNING, b: ended(), c: RUNNING });
  store.print('c', 'one\nready\n');
  const result = await store.wait([
    { kind: 'ended', run: 'a' },
    { kind: 'ended', run: 'b' },
    { kind: 'output', run: 'c', pattern: /^ready/ },
    { kind: 'output', run: 'c', pattern: 'never' },
  ]);
  expect(result).toMatchObject({
    kind: 'held',
    held: [
      { kind: 'ended', condition: 1 },
      { kind: 'output', condition: 2, from: 4, to: 10, line: 'ready', lineNumber: 2 },
    ],
  });
});

test('several conditions of one run are judged by one look at it', async () => {
  const store = storeWith({ a: RUNNING });
  await store.wait(
    [
      { kind: 'ended', run: 'a' },
      { kind: 'output', run: 'a', pattern: 'x' },
      { kind: 'ended', run: 'a' },
    ],
    { timeoutMs: 0 },
  );
  expect(store.looks).toBe(1);
});

test('any number may wait for the same, each from its own place', async () => {
  const store = storeWith({ a: RUNNING });
  store.print('a', 'ready\n');
  const waits = [0, 1, 6].map((from) => store.wait([{ kind: 'output', run: 'a', pattern: 'ready', from }]));
  expect(await waits[0]).toMatchObject({ held: [{ from: 0 }] });
  await store.untilLooked(4);
  store.print('a', 'ready');
  expect(await Promise.all(waits)).toMatchObject([
    { held: [{ from: 0 }] },
    { held: [{ from: 6, to: 11 }] },
    { held: [{ from: 6 }] },
  ]);
});

test('output that can no longer come is not waited for', async () => {
  const store = storeWith({ a: ended() });
  store.print('a', 'nothing\n');
  expect(await store.wait([{ kind: 'output', run: 'a', pattern: 'ready' }])).toEqual({
    kind: 'never',
    lapsed: [{ kind: 'lapsed', condition: 0, why: 'ended' }],
  });
});

test('one that cannot hold any more leaves the others waiting', async () => {
  const store = storeWith({ a: ended(), b: RUNNING });
  const waiting = store.wait([
    { kind: 'output', run: 'a', pattern: 'ready' },
    { kind: 'ended', run: 'missing' },
    { kind: 'ended', run: 'b' },
  ]);
  await store.untilLooked(4);
  store.set('b', ended());
  expect(await waiting).toMatchObject({ kind: 'held', held: [{ condition: 2 }] });
});

test('a run that is not there, or is taken away, is not waited for', async () => {
  const store = storeWith({});
  const conditions: WaitCondition[] = [
    { kind: 'ended', run: 'a' },
    { kind: 'output', run: 'a', pattern: 'x' },
    { kind: 'port', run: 'a', port: 1 },
  ];
  expect(await store.wait(conditions)).toEqual({
    kind: 'never',
    lapsed: [0, 1, 2].map((condition) => ({ kind: 'lapsed', condition, why: 'missing' })),
  });
});

test('what is written down just after the end is still found', async () => {
  const store = storeWith({ a: ended(Date.now() + 1_000_000) });
  const waiting = store.wait([{ kind: 'output', run: 'a', pattern: 'last words' }]);
  await store.untilLooked(2);
  store.print('a', 'last words\n');
  expect(await waiting).toMatchObject({ kind: 'held', held: [{ line: 'last words' }] });
  expect(await store.wait([{ kind: 'output', run: 'a', pattern: 'more' }])).toMatchObject({ kind: 'never' });
});

test('leftover processes may still print', async () => {
  const store = storeWith({ a: ended(LONG_AGO, [1]) });
  const waiting = store.wait([{ kind: 'output', run: 'a', pattern: 'later' }]);
  await store.untilLooked(3);
  store.print('a', 'later');
  expect(await waiting).toMatchObject({ kind: 'held' });
});

test('the time passes, and not too early', async () => {
  const store = storeWith({ a: RUNNING });
  const before = performance.now();
  expect(await store.wait([{ kind: 'ended', run: 'a' }], { timeoutMs: 60 })).toEqual({
    kind: 'time',
    searched: 'all',
  });
  expect(performance.now() - before).toBeGreaterThanOrEqual(59);
});

test('no time at all is one look, at all the output there is', async () => {
  const store = storeWith({ a: RUNNING });
  store.print('a', `${'filler\n'.repeat(300_000)}ready`);
  expect(await store.wait([{ kind: 'output', run: 'a', pattern: 'ready' }], { timeoutMs: 0 })).toMatchObject({
    kind: 'held',
  });
  expect(await store.wait([{ kind: 'output', run: 'a', pattern: 'never' }], { timeoutMs: 0 })).toEqual({
    kind: 'time',
    searched: 'all',
  });
  expect(store.looks).toBe(2);
});

test('a search that takes much longer than the timeout is aborted, and the result shows it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const store = storeWith({ a: RUNNING });
  store.print('a', 'filler\n'.repeat(1_000_000));
  const waiting = store.wait([{ kind: 'output', run: 'a', pattern: 'never' }], { timeoutMs: 5000 });
  vi.advanceTimersByTime(7000);
  expect(await waiting).toEqual({ kind: 'time', searched: 'part' });
  expect(vi.getTimerCount()).toBe(0);
});

test('without conditions only the time is waited for; without both nothing is', async () => {
  const store = storeWith({});
  expect(await store.wait([], { timeoutMs: 5 })).toEqual({ kind: 'time', searched: 'all' });
  expect(await store.wait([])).toEqual({ kind: 'never', lapsed: [] });
});

test('an abort ends the wait, before and during it, and leaves no timer or listener', async () => {
  const store = storeWith({ a: RUNNING });
  const abort = new AbortController();
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const conditions: WaitCondition[] = [
    { kind: 'ended', run: 'a' },
    { kind: 'output', run: 'a', pattern: 'x' },
    { kind: 'port', port: 1 },
  ];
  const waits = Array.from({ length: 8 }, () =>
    store.wait(conditions, { signal: abort.signal, timeoutMs: 1_000_000 }),
  );
  await store.untilLooked(16);
  const before = timers();
  abort.abort();
  for (const result of await Promise.all(waits)) expect(result).toEqual({ kind: 'aborted' });
  expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  expect(timers()).toBeLessThanOrEqual(before);
  expect(await store.wait(conditions, { signal: abort.signal })).toEqual({ kind: 'aborted' });
});

test('a check that an abort interrupted does not count as impossible', async () => {
  const store = storeWith({ a: ended() });
  store.print('a', 'filler\n'.repeat(1_000_000));
  const abort = new AbortController();
  const waiting = store.wait([{ kind: 'output', run: 'a', pattern: 'x' }], { signal: abort.signal });
  abort.abort();
  expect(await waiting).toEqual({ kind: 'aborted' });
});

test('a wait that is over leaves no timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const store = storeWith({ a: ended() });
  await store.wait([{ kind: 'ended', run: 'a' }], { timeoutMs: 5000 });
  expect(vi.getTimerCount()).toBe(0);
});

test('a wait that is over leaves no listener at a signal that others use', async () => {
  const store = storeWith({ a: ended() });
  const { signal } = new AbortController();
  await store.wait(
    [
      { kind: 'ended', run: 'a' },
      { kind: 'port', port: 1 },
    ],
    { signal },
  );
  await store.wait([{ kind: 'output', run: 'a', pattern: 'x' }], { signal, timeoutMs: 30 });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a port that accepts connections is reported if the expected processes hold it', async () => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const store = storeWith({ a: RUNNING });
  const wait = (owners?: () => number[]): Promise<WaitResult> =>
    store.wait([{ kind: 'port', run: 'a', port, ...(owners === undefined ? {} : { owners }) }], {
      timeoutMs: 0,
    });
  expect(await wait()).toEqual({ kind: 'held', held: [{ kind: 'port', condition: 0, port }] });
  expect(await wait(() => [process.pid])).toMatchObject({ kind: 'held' });
  expect(await wait(() => [process.ppid])).toEqual({ kind: 'time', searched: 'all' });
  const other = { kind: 'port', run: 'a', port, host: '::1' } as const;
  expect(await store.wait([other], { timeoutMs: 0 })).toEqual({ kind: 'time', searched: 'all' });
  store.set('a', ended());
  expect(await store.wait([other])).toMatchObject({ kind: 'never' });
});

test('secrets are neither found nor reported', async () => {
  const store = storeWith({ a: ended() });
  store.print('a', 'token hunter2secret\n');
  const mask = createSecretMask(['hunter2secret']);
  expect(await store.wait([{ kind: 'output', run: 'a', pattern: 'hunter2' }], { mask })).toMatchObject({
    kind: 'never',
  });
  expect(await store.wait([{ kind: 'output', run: 'a', pattern: 'token' }], { mask })).toMatchObject({
    held: [{ line: 'token [redacted]' }],
  });
});
