import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { JobInfo, Jobs } from '../../../../src/index.ts';
import { parseKeyPress } from '../../../../src/surfaces/console/screen/key-reader.ts';
import type { StyledRow } from '../../../../src/surfaces/console/screen/styled-row.ts';
import { JobsPanel } from '../../../../src/surfaces/console/views/jobs-panel.ts';

const KEYS = { up: '\x1b[A', down: '\x1b[B', 'page-down': '\x1b[6~', enter: '\r', escape: '\x1b' } as const;

const job = (id: string, more: Partial<JobInfo> = {}): JobInfo =>
  ({
    ...{ id, name: `name of ${id}`, label: id, command: `command of ${id}`, cwd: '/', session: 's' },
    ...{ state: 'running', status: 'running', exitCode: null, signal: null, pid: 7, restarts: 0 },
    ...{ startedAt: Date.now() - 5_000, endedAt: null, ...more },
  }) as JobInfo;

const JOBS = [
  job('a'),
  job('b'),
  job('c', { state: 'failed', status: 'exited', exitCode: 3, endedAt: Date.now() }),
];

/** A panel over a fixed list; `kill` is not reached by these tests. */
async function open(list: readonly JobInfo[], more: { readonly onlyRunning?: boolean } = {}) {
  const look = (id: string) => ({
    cpu: 0.03,
    cpuSeconds: 1,
    memoryBytes: 1_048_576,
    ports: [],
    lastLine: `${id} says`,
  });
  const jobs = {
    list: () => list,
    watch: async () => ({ look: (ids: readonly string[]) => new Map(ids.map((id) => [id, look(id)])) }),
    peek: async (id: string) => ({ text: `output of ${id}\n` }),
  } as unknown as Jobs;
  const opened: string[] = [];
  let onRefresh = (): void => undefined;
  const refreshed = new Promise<void>((resolve) => {
    onRefresh = resolve;
  });
  const close = vi.fn();
  const panel = new JobsPanel({
    ...more,
    jobs,
    refresh: () => onRefresh(),
    close,
    onOpen: ({ id }) => void opened.push(id),
  });
  onTestFinished(() => panel.onClose());
  await refreshed;
  const lines = (rows = 24, columns = 80): string[] => panel.render({ columns, rows }).rows.map(textOf);
  lines();
  const type = (...keys: readonly string[]): void => {
    for (const key of keys) {
      const name = key in KEYS ? parseKeyPress(KEYS[key as keyof typeof KEYS]) : null;
      panel.onKey(name ?? { name: 'text', text: key, raw: key });
    }
  };
  const selected = (): string | undefined => lines().find((line) => line.startsWith(' ▌ '));
  return { panel, lines, type, selected, opened, close };
}

const textOf = (row: StyledRow): string => row.map(({ text, painted }) => painted ?? text).join('');

describe('keys', () => {
  test('the first job is selected, and the arrows stay within the list', async () => {
    const { type, selected } = await open(JOBS);
    expect(selected()).toContain('name of a');
    type('down');
    expect(selected()).toContain('name of b');
    type('down', 'down', 'down');
    expect(selected()).toContain('name of c');
    type('enter');
  });

  test('enter and f open the output of the selected job', async () => {
    const { type, opened } = await open(JOBS);
    type('enter', 'down', 'f');
    expect(opened).toEqual(['a', 'b']);
  });

  test('a stop needs a confirmation, and any other key than y cancels it', async () => {
    const { type, lines } = await open(JOBS);
    type('s');
    expect(lines().at(-1)).toMatch(/Stop name of a\? +y yes +any other key no/);
    type('n');
    expect(lines()[0]).toContain('Not stopped.');
    type('k');
    expect(lines().at(-1)).toContain('Kill name of a?');
  });

  test('a search shows the jobs that contain the text, and escape shows all again', async () => {
    const { type, lines, selected, close } = await open(JOBS);
    type('/', ...'FAILED');
    expect(selected()).toContain('name of c');
    expect(lines().join('\n')).not.toContain('name of a');
    type('enter', 'q');
    expect(close).toHaveBeenCalledTimes(1);
    type('escape');
    expect(lines().join('\n')).toContain('name of a');
    type('/', ...'nowhere');
    expect(lines().join('\n')).toContain('No job contains nowhere.');
  });

  test('escape closes the panel when there is no search', async () => {
    const { type, close } = await open(JOBS);
    type('escape');
    expect(close).toHaveBeenCalledTimes(1);
  });
});

describe('the screen', () => {
  test('is a table with the details of the selected job and the keys', async () => {
    const { lines } = await open(JOBS);
    const [head, titles, first, second, third] = lines(14, 90);
    expect(head).toBe('   Jobs   2 running   1 failed');
    expect(titles).toMatch(/^ {3}NAME +STATE +AGE +CPU +MEMORY +LAST LINE/);
    expect(first).toMatch(/^ ▌ name of a +● running +5s +3% +1\.0MiB +a says/);
    expect(second).toMatch(/^ {3}name of b +● running/);
    expect(third).toMatch(/^ {3}name of c +✗ failed 3 .* c says$/);
    expect(lines(14, 90).slice(-3)).toEqual([
      '   command of a',
      expect.stringMatching(/^ {3}a · service name of a · pid 7 · since [\d:]+ · session s · \/$/),
      '   ↑↓ select   enter output   s stop   k kill   / search   q back',
    ]);
  });

  test('shows the output of the selected job when there is room for it', async () => {
    const { lines, type } = await open(JOBS);
    type('down');
    await vi.waitFor(() => expect(lines()).toContain('   output of b'));
    expect(lines(12).join('\n')).not.toContain('output of b');
  });

  test('names the visible range when the jobs do not fit', async () => {
    const { lines, type } = await open(Array.from({ length: 30 }, (_, at) => job(`${at}`)));
    expect(lines()[0]).toMatch(/30 running {3}1–18 of 30$/);
    type('page-down', 'page-down', 'page-down');
    expect(lines()[0]).toMatch(/13–30 of 30$/);
  });

  test('a cell after a text of uncertain width is placed by its column', async () => {
    const { lines } = await open([job('plain'), job('wide', { name: '👩‍👩‍👧 ⚠️' })]);
    expect(lines()[2]).not.toContain('\x1b');
    expect(lines()[3]).toMatch(/^ {3}👩‍👩‍👧 ⚠️ +\x1b\[\d+G● running/u);
  });

  test('an empty list says how to start a job', async () => {
    const { lines } = await open([]);
    expect(lines().join('\n')).toContain('No jobs. Start one with "async": true, or with nacre run --async.');
  });

  test('only running jobs are listed on request', async () => {
    const { lines } = await open(JOBS, { onlyRunning: true });
    expect(lines().join('\n')).not.toContain('name of c');
  });

  test('any jobs fit any screen, and the selected one is visible', async () => {
    const cell = fc.string({ maxLength: 200 });
    const row = fc.record({ name: cell, command: cell });
    const run = async (rows: { name: string; command: string }[], height: number, down: number) => {
      const list = rows.map((each, at) => job(`${at}`, each));
      const { lines, type } = await open(list);
      lines(height);
      type(...Array.from({ length: down }, () => 'down'));
      const shown = lines(height);
      expect(shown.length).toBe(height);
      if (list.length > 0) expect(shown.filter((line) => line.startsWith(' ▌ '))).toHaveLength(1);
    };
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 40 }), fc.integer({ min: 6, max: 50 }), fc.nat(60), run),
      { numRuns: 50 },
    );
  });
});
