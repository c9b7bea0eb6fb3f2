/** Shell scripts are part of the program: they travel beside the modules that use them, bundled or not. */
import { copyFileSync, readdirSync } from 'node:fs';

const ROOM = 'src/engine/run/supervise';
for (const name of readdirSync(ROOM).filter((file) => file.endsWith('.sh'))) {
  for (const target of ['dist/engine/run/supervise', 'dist/bundle'])
    copyFileSync(`${ROOM}/${name}`, `${target}/${name}`);
}
