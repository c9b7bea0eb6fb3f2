import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { UpdateThrottle } from '../../../../src/engine/output/update-throttle.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('updates', () => {
  test('are sent at most once per interval', () => {
    const sent: number[] = [];
    const updates = new UpdateThrottle({ send: () => sent.push(Date.now()), intervalMs: 50 });
    for (let step = 0; step < 1000; step += 1) {
      updates.schedule();
      vi.advanceTimersByTime(1);
    }
    updates.flushAndStop();
    const gaps = sent.slice(1).map((time, index) => time - (sent[index] ?? 0));
    expect(sent.length).toBeGreaterThan(15);
    expect(Math.min(...gaps.slice(0, -1))).toBeGreaterThanOrEqual(50);
  });

  test('always send the last update, once', () => {
    let count = 0;
    const updates = new UpdateThrottle({ send: () => (count += 1) });
    updates.schedule();
    updates.flushAndStop();
    updates.flushAndStop();
    expect(count).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('say nothing when there is nothing new', () => {
    let count = 0;
    const updates = new UpdateThrottle({ send: () => (count += 1) });
    updates.schedule();
    vi.advanceTimersByTime(50);
    updates.flushAndStop();
    updates.schedule();
    expect(count).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
