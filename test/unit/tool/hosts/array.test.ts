import { expect, test } from 'vitest';
import { createBash } from '../../../../src/index.ts';
import { parseSlurmArray } from '../../../../src/tool/profiles/host-fields.ts';
import { temporaryDirectory } from '../../../helpers/temporary-directory.ts';

test.each([
  ['0-3', [0, 1, 2, 3]],
  ['7', [7]],
  ['1,3,7-9', [1, 3, 7, 8, 9]],
  ['0-10:5', [0, 5, 10]],
  ['0-3%2', [0, 1, 2, 3]],
  ['1,1,0-2', [1, 0, 2]],
])('%s names its tasks, each once', (text, tasks) => {
  expect(parseSlurmArray(text, 64)).toEqual({ spec: text, tasks });
});

test.each([
  '',
  ' ',
  '3-1',
  'a',
  '1,',
  ',1',
  '0-3%0',
  '0-3%',
  '1-2-3',
  '0-9:0',
  '-1',
  '1 2',
  '0-5000000',
  '1%2%3',
])('what sbatch would not take is refused: %s', (text) => {
  expect(() => parseSlurmArray(text, 64)).toThrow(/array.*0-15/);
});

test('more tasks than there may be jobs are refused, with both numbers', () => {
  expect(parseSlurmArray('0-63', 64).tasks).toHaveLength(64);
  expect(() => parseSlurmArray('0-64', 64)).toThrow('names 65 tasks, and there may be 64 jobs');
});

test('the field is there only where the host is a cluster, and jobs are on', async () => {
  const schema = (host: string, enabled: boolean): unknown => {
    const bash = createBash({ stateDirectory: temporaryDirectory(), host, async: { enabled } });
    return bash.tool.inputSchema.properties.array;
  };
  expect([schema('slurm', true), schema('slurm', false), schema('ssh:x', true)]).toEqual([
    expect.objectContaining({ type: 'string' }),
    undefined,
    undefined,
  ]);
});

test.each([
  [{ wait: 3 }, 'cannot be combined with wait'],
  [{ service: { name: 'web' } }, 'cannot be combined with service'],
  [{ stdin: { open: true } }, 'cannot be combined with stdin'],
])('what is for one command alone does not go with it: %j', async (more, message) => {
  const bash = createBash({ stateDirectory: temporaryDirectory(), host: 'slurm' });
  const { error } = await bash.call({ command: 'true', array: '0-3', ...more });
  expect([error?.id, error?.message]).toEqual(['bad_input', expect.stringContaining(message)]);
  await bash.close();
});
