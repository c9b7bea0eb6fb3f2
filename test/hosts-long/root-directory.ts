import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PROGRAMS = [
  ...[
    'bash',
    'cat',
    'ls',
    'head',
    'tail',
    'dd',
    'sleep',
    'mkdir',
    'mkfifo',
    'rm',
    'rmdir',
    'mv',
    'touch',
    'tr',
    'wc',
  ],
  ...[
    'sha256sum',
    'base64',
    'env',
    'seq',
    'date',
    'tee',
    'yes',
    'true',
    'false',
    'df',
    'id',
    'stat',
    'readlink',
    'ln',
  ],
  ...['grep', 'setsid', 'ps', 'pgrep', 'pkill'],
];

/** Creates a root directory with bash and coreutils, the minimum for a container. */
export function makeRootDirectory(root: string): void {
  for (const name of ['bin', 'usr/bin', 'tmp', 'root', 'etc', 'proc', 'dev'])
    mkdirSync(join(root, name), { recursive: true });
  for (const name of PROGRAMS) copyProgram(name, root);
  copyFileSync(join(root, 'usr/bin/bash'), join(root, 'bin/bash'));
  symlinkSync('bash', join(root, 'bin/sh'));
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/bash\n');
}

function copyProgram(name: string, root: string): void {
  const path = execFileSync('bash', ['-c', 'type -P "$0"', name], { encoding: 'utf8' }).trim();
  copyFileSync(path, join(root, 'usr/bin', name));
  const needed = execFileSync('ldd', [path], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
  for (const library of needed.filter((file) => !existsSync(join(root, file)))) {
    mkdirSync(dirname(join(root, library)), { recursive: true });
    copyFileSync(library, join(root, library));
  }
}
