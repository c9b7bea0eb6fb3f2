/**
 * The command line starts as one file: a hundred small modules cost more to find than to run. What a command needs only
 * sometimes (the parser, the servers) stays in files of its own, loaded when asked for.
 */
import { build } from 'esbuild';

await build({
  entryPoints: { nacre: 'dist/surfaces/cli/main.js' },
  outdir: 'dist/bundle',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifySyntax: true,
  logLevel: 'warning',
});
