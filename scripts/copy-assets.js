/** Shell scripts are part of the program: they travel beside the modules that use them, bundled or not. */
import { copyFileSync, readdirSync } from 'node:fs';

const ROOMS = ['engine/run/supervise', 'engine/hosts/sandbox', 'engine/hosts/remote'];
for (const room of ROOMS) {
  for (const name of readdirSync(`src/${room}`).filter((file) => /\.(?:sh|mjs)$/.test(file))) {
    for (const target of [`dist/${room}`, 'dist/bundle'])
      copyFileSync(`src/${room}/${name}`, `${target}/${name}`);
  }
}
