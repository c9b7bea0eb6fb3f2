/**
 * The command line starts from one file, and as a script: finding a hundred small modules takes longer than running them,
 * and what a script was compiled to can be kept (see bin/nacre.cjs).
 */
import { build } from 'rolldown';

await build({
  input: 'dist/surfaces/cli/main.js',
  platform: 'node',
  logLevel: 'warn',
  transform: { define: { 'import.meta.url': '__nacreUrl' } },
  output: {
    file: 'dist/bundle/nacre.cjs',
    format: 'cjs',
    codeSplitting: false,
    banner: "const __nacreUrl = require('node:url').pathToFileURL(__filename).href;",
  },
});
