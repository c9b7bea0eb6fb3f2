/**
 * The command line starts from one file, and as a script: finding a hundred small modules takes longer than running them,
 * and what a script was compiled to can be kept (see bin/nacre.cjs). A command that brings a library with it has a file of
 * its own, which holds everything; in the others its room is left out.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';

const OWN_BUNDLE = ['acp', 'mcp'];
const bundled = new Set();

for (const name of ['nacre', ...OWN_BUNDLE]) {
  const leftOut = OWN_BUNDLE.filter((other) => other !== name);
  const { output } = await build({
    input: 'dist/surfaces/cli/main.js',
    platform: 'node',
    logLevel: 'warn',
    external: leftOut.map((other) => new RegExp(`/surfaces/${other}/|^(\\.\\./)+${other}/`)),
    transform: { define: { 'import.meta.url': '__nacreUrl' } },
    output: {
      file: `dist/bundle/${name}.cjs`,
      format: 'cjs',
      codeSplitting: false,
      banner: "const __nacreUrl = require('node:url').pathToFileURL(__filename).href;",
    },
  });
  for (const id of output[0].moduleIds) {
    const [, place] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
    if (place !== undefined) bundled.add(place);
  }
}
writeFileSync(
  'dist/bundle/NOTICES.txt',
  [...bundled]
    .sort()
    .map(toNotice)
    .join(`\n${'-'.repeat(80)}\n\n`),
);

/** Whoever passes on the code of others passes on their terms. */
function toNotice(place) {
  const { name, version, license } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  const files = readdirSync(place).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(place, file), 'utf8').trim());
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`;
}
