import { closeSync, mkdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPath } from '../../../../src/engine/hosts/sandbox/open-path.ts';
import { temporaryDirectory } from '../../../helpers/temporary-directory.ts';

function makePlaces() {
  const root = realpathSync(temporaryDirectory());
  mkdirSync(join(root, 'work/in'), { recursive: true });
  writeFileSync(join(root, 'work/in/file'), '');
  symlinkSync('work', join(root, 'link'));
  symlinkSync(join(root, 'link'), join(root, 'second'));
  symlinkSync('../work/in', join(root, 'work/inner'));
  symlinkSync('loop', join(root, 'loop'));
  return { root, untrusted: [join(root, 'work')] };
}

test.each(['work/in/file', 'link/in/file', 'second/in/file'])(
  'links above a workspace are followed: %s',
  (path) => {
    const { root, untrusted } = makePlaces();
    const opened = openPath(join(root, path), { untrusted });
    expect(opened).toMatchObject({ path: join(root, 'work/in/file'), isDirectory: false });
    expect(opened?.ino).toBe(statSync(join(root, 'work/in/file'), { bigint: true }).ino);
    closeSync(opened?.fd ?? -1);
  },
);

test.each(['work/inner', 'work/inner/file', 'link/inner', 'second/inner/file'])(
  'a link in a workspace is refused by name: %s',
  (path) => {
    const { root, untrusted } = makePlaces();
    expect(() => openPath(join(root, path), { untrusted })).toThrow(
      `${root}/work/inner is a symbolic link to ../work/in.`,
    );
  },
);

test.each(['nothing', 'work/nothing', 'work/in/file/below', 'loop'])('%s does not exist', (path) => {
  const { root, untrusted } = makePlaces();
  expect(openPath(join(root, path), { untrusted })).toBeNull();
});
