/**
 * The command line starts from one file, and as a script: finding a hundred small modules takes longer than running them,
 * and what a script was compiled to can be kept (see bin/nacre.cjs). A command that brings a library with it has a file of
 * its own, and so has `run`, which is to start at once.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';

/** What a bundle leaves out: what only other commands need. */
const LEFT_OUT = {
  run: [/\/surfaces\/(acp|console|mcp|rpc)\//, /^(\.\.\/)+(acp|console|mcp|rpc)\//, /^\.\/commands\//],
  acp: [/\/surfaces\/mcp\//, /^(\.\.\/)+mcp\//],
  mcp: [
    /\/surfaces\/(acp|console|rpc)\//,
    /^(\.\.\/)+(acp|console|rpc)\//,
    /^\.\/commands\/(?!mcp)/,
    /^\.\/run\//,
  ],
  nacre: [/\/surfaces\/(acp|mcp)\//, /^(\.\.\/)+(acp|mcp)\//],
};
/** Parts of Node that take a while to load, and that most calls do without. */
const LATE = /^let (\w+) = require\("(node:(?:dns\/promises|fs\/promises|http|readline))"\);$/gm;
const bundled = new Set();

for (const [name, external] of Object.entries(LEFT_OUT)) {
  const file = `dist/bundle/${name}.cjs`;
  const { output } = await build({
    input: 'dist/surfaces/cli/main.js',
    platform: 'node',
    logLevel: 'warn',
    external,
    transform: { define: { 'import.meta.url': '__nacreUrl' } },
    output: {
      file,
      format: 'cjs',
      codeSplitting: false,
      comments: false,
      // Of one byte a character, so that it is read at the speed of the disk. Names stay: a stack trace is to be read.
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
    },
  });
  writeFileSync(file, wrap(output[0].code));
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

/** A function that bin/nacre.cjs calls, as Node would call a module. */
function wrap(code) {
  return [
    '(function (exports, require, module, __filename, __dirname) {',
    "const __nacreUrl = require('node:url').pathToFileURL(__filename).href;",
    'const __nacreLate = (name) => new Proxy({}, { get: (_, key) => require(name)[key] });',
    code.replace(LATE, 'const $1 = __nacreLate("$2");'),
    '})',
  ].join('\n');
}

/** Whoever passes on the code of others passes on their terms. */
function toNotice(place) {
  const { name, version, license } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
  const files = readdirSync(place).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(join(place, file), 'utf8').trim());
  return `${name} ${version} (${license})\n\n${texts.join('\n\n')}\n`;
}
