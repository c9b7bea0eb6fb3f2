import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useLocalHost } from '../../helpers/local.ts';

const { start } = useLocalHost();

test('who prints a line now and then is read whole, over more reads than are made at first, and within its limit', async () => {
  const command = 'exec 9<> <(:); for ((i = 1000; i < 1700; i++)); do echo $i; read -rt 0.002 -u 9; done';
  const lines = Array.from({ length: 700 }, (_, i) => `${1000 + i}\n`).join('');
  const { run } = await start(command, { watcher: 'nobody' });
  const keep = { maxBytes: 2_000, onFull: 'drop_middle' as const, minFreeBytes: 0 };
  const { run: small } = await start(command, { watcher: 'nobody', keep });
  await Promise.all([run.ended, small.ended]);
  await expect.poll(() => readFileSync(join(run.directory, 'out'), 'utf8'), { timeout: 20_000 }).toBe(lines);
  expect(readFileSync(join(small.directory, 'out'), 'utf8')).toBe(lines.slice(0, 1_000));
  expect(readFileSync(join(small.directory, 'out.3000'), 'utf8')).toBe(lines.slice(3_000));
});
