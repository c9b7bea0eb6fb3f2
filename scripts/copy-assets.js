/** Shell scripts are part of the program: they travel to `dist` beside the modules that use them. */
import { cpSync } from 'node:fs';

cpSync('src', 'dist', {
  recursive: true,
  filter: (path) => !path.includes('.') || path.endsWith('.sh'),
});
