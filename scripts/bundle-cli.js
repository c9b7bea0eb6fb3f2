/**
 * The command line starts from one file, and as a script: finding a hundred small modules takes longer than running them,
 * and what a script was compiled to can be kept (see bin/nacre.cjs).
 */
import { build } from 'esbuild';

await build({
  entryPoints: { nacre: 'dist/surfaces/cli/main.js' },
  outdir: 'dist/bundle',
  outExtension: { '.js': '.cjs' },
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  define: { 'import.meta.url': '__nacreUrl' },
  banner: { js: "const __nacreUrl = require('node:url').pathToFileURL(__filename).href;" },
  logLevel: 'warning',
});
