import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RunStore } from '../../../src/engine/run/run-store.ts';
import { waitForRuns } from '../../../src/engine/watch/wait-for-runs.ts';
import { useLocalHost } from '../../helpers/local.ts';

const { host, request, start, state } = useLocalHost(0);

/** As another program would open it: nothing is shared with the host that started the run. */
const store = new RunStore(state);

test('the end of a run that another program waits for is seen, and its last words too', async () => {
  const fifo = `${state}/go-1`;
  const { run } = await start(
    `mkfifo ${fifo}; echo ready; read line <${fifo}; printf 'the very last words'; exit 3`,
  );
  const first = await waitForRuns([{ kind: 'output', run: run.id, pattern: 'ready' }], { store });
  expect(first).toMatchObject({ held: [{ from: 0, to: 6, lineNumber: 1 }] });
  const waits = [
    waitForRuns([{ kind: 'ended', run: run.id }], { store }),
    waitForRuns([{ kind: 'output', run: run.id, pattern: /last words$/, from: 6 }], { store }),
    waitForRuns([{ kind: 'output', run: run.id, pattern: 'ready', from: 6 }], { store }),
  ];
  await start(`echo go >${fifo}`);
  expect(await Promise.all(waits)).toMatchObject([
    { kind: 'held', held: [{ run: { state: { ending: { kind: 'exited', exitCode: 3 } } } }] },
    { kind: 'held', held: [{ from: 6, line: 'the very last words' }] },
    { kind: 'never', lapsed: [{ why: 'ended' }] },
  ]);
  await run.ended;
});

test('a job without a reader can be watched for output and for its port', async () => {
  const script =
    "const s = require('net').createServer(); s.listen(0, '127.0.0.1', () => console.log('listening on ' + s.address().port))";
  const run = await host.start(
    request(`echo starting; exec ${process.execPath} -e "${script}"`, { watcher: 'nobody' }),
  );
  const said = await waitForRuns(
    [
      { kind: 'output', run: run.id, pattern: /listening on \d+\n?$/ },
      { kind: 'ended', run: run.id },
    ],
    { store },
  );
  const line = said.kind === 'held' && said.held[0]?.kind === 'output' ? said.held[0].line : '';
  const port = Number(line.split(' ').at(-1));
  const condition = { kind: 'port', run: run.id, port } as const;
  expect(await waitForRuns([condition], { store })).toMatchObject({ held: [{ kind: 'port', port }] });
  expect(await waitForRuns([{ ...condition, owners: () => [run.pid] }], { store })).toMatchObject({
    kind: 'held',
  });
  await run.stop('kill');
  expect(await waitForRuns([condition], { store })).toMatchObject({ kind: 'never' });
});

test('a leftover process may still print the pattern', async () => {
  const fifo = `${state}/go-3`;
  const { run } = await start(`mkfifo ${fifo}; { read line <${fifo}; echo later; } & echo done`);
  await run.ended;
  const waiting = waitForRuns([{ kind: 'output', run: run.id, pattern: 'later' }], { store });
  await start(`echo go >${fifo}`);
  expect(await waiting).toMatchObject({ kind: 'held' });
});

test('fifty waits on one run leave no descriptor open', async () => {
  const { run } = await start('echo ready; exec sleep 1000');
  const abort = new AbortController();
  await waitForRuns([{ kind: 'output', run: run.id, pattern: 'ready' }], { store });
  const count = (): number => readdirSync('/proc/self/fd').length;
  const before = count();
  const waits = Array.from({ length: 50 }, (_, index) =>
    waitForRuns(
      [
        { kind: 'output', run: run.id, pattern: 'never' },
        { kind: 'port', port: 1 },
        { kind: 'ended', run: run.id },
      ],
      { store, ...(index < 8 ? { signal: abort.signal } : { timeoutMs: 100 }) },
    ),
  );
  await Promise.all(waits.slice(8));
  abort.abort();
  const kinds = (await Promise.all(waits)).map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(new Set(['aborted', 'time']));
  await expect.poll(count, { timeout: 20_000 }).toBeLessThanOrEqual(before);
  await run.stop('kill');
});
