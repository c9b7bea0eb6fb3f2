/**
 * Builds nacre after `npm ci` in a clone, for an installation from git, and before `npm pack` and `npm publish`.
 * npm does not run it when the published package is installed. Without the compiler (`npm ci --omit=dev`) there is
 * nothing to build with, so it only says so.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

if (existsSync('node_modules/typescript'))
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
else console.error('nacre: not built, because the development dependencies are not installed');
