import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { BIN, makePlace } from './serve.ts';

const place = makePlace();
afterAll(() => place.remove());
const hasGo = spawnSync('go', ['version']).status === 0;

test.skipIf(!hasGo)(
  'examples/go/rpc_client.go runs with nothing but Go',
  () => {
    const example = join(import.meta.dirname, '../../../examples/go/rpc_client.go');
    const env = { ...place.env, GOCACHE: join(place.root, 'go'), GOFLAGS: '-mod=mod' };
    const args = ['run', example, process.execPath, BIN, 'rpc'];
    expect(execFileSync('go', args, { encoding: 'utf8', env })).toBe('"one\\ntwo\\n" 3 true\n<nil>\n');
  },
  300_000,
);
