import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openEditor, read } from '../../helpers/acp-client.ts';
import { temporaryDirectory } from '../../helpers/temporary-directory.ts';

const texts = (updates: Parameters<typeof read>[0]): unknown[] =>
  read(updates).changes.flatMap(({ rawOutput }) =>
    rawOutput === undefined ? [] : (rawOutput as { output: { text: string } }).output.text,
  );

test('what a command changes in its shell is there in the next one, in the terminals of the editor, too', async () => {
  const place = temporaryDirectory();
  const { prompt, updates, terminals, directory } = await openEditor({ settings: { TMPDIR: place } });
  await prompt('mkdir sub; cd sub; WORD="a b"; say() { echo "said $1"; }');
  await prompt('pwd; say "$WORD"');
  expect(texts(updates)[1]).toBe(`${directory}/sub\nsaid a b\n`);
  expect(terminals.size).toBe(2);
  expect(readdirSync(place)).toEqual([]);
});
