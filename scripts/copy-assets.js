/** Shell scripts are part of the program: they travel beside the modules that use them, bundled or not. */
import { copyFileSync, readdirSync } from 'node:fs';

const DIRECTORIES = ['engine/run', 'engine/hosts/sandbox', 'engine/hosts/remote'];
for (const directory of DIRECTORIES) {
  for (const name of readdirSync(`src/${directory}`).filter((file) => /\.(?:sh|mjs)$/.test(file))) {
    for (const target of [`dist/${directory}`, 'dist/bundle'])
      copyFileSync(`src/${directory}/${name}`, `${target}/${name}`);
  }
}
