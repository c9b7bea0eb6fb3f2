#!/usr/bin/env node
/**
 * Starts the bundled command line. What V8 compiled it to is kept in the user's cache directory, which takes a third off a cold
 * start; a cache that is missing, foreign or out of date costs nothing but that third.
 */
const fs = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const vm = require('node:vm');

/** Commands that need more than the others, or much less, have a bundle of their own. */
const OWN_BUNDLE = new Set(['acp', 'mcp', 'run']);
/** After which a server that has just started has nothing else to do. */
const KEEP_AFTER_MS = 5_000;

const name = OWN_BUNDLE.has(process.argv[2]) ? process.argv[2] : 'nacre';
const file = path.join(__dirname, `../dist/bundle/${name}.cjs`);
const cacheFile = findCacheFile();
const cachedData = read(cacheFile);
const source = fs.readFileSync(file, 'latin1'); // ASCII, and so the quickest way to read it
const script = new vm.Script(source, { filename: file, ...(cachedData && { cachedData }) });
const program = { exports: {} };
if (!cachedData || script.cachedDataRejected) {
  process.on('exit', keep);
  // Clients kill their servers, and a start has compiled by then what a start needs.
  if (name === 'mcp' || name === 'acp') setTimeout(keep, KEEP_AFTER_MS).unref();
}
script.runInThisContext()(program.exports, createRequire(file), program, file, path.dirname(file));

/** One for each state of the bundle, of Node and of the user; none without a home. */
function findCacheFile() {
  const { XDG_CACHE_HOME, HOME } = process.env;
  const base = XDG_CACHE_HOME || (HOME && path.join(HOME, '.cache'));
  if (!base || !path.isAbsolute(base)) return null;
  const { mtimeMs, size } = fs.statSync(file);
  return path.join(
    base,
    'nacre',
    `${name}-${process.version}-${process.arch}-${size}-${Math.round(mtimeMs)}.cache`,
  );
}

function read(from) {
  try {
    return from && fs.readFileSync(from);
  } catch {
    return null;
  }
}

/** Written whole or not at all; older ones go. Nothing here may disturb what the command line does. */
function keep() {
  if (!cacheFile) return;
  try {
    const directory = path.dirname(cacheFile);
    // The cache directory and ours, but never a home that is not there.
    for (const place of [path.dirname(directory), directory])
      if (!fs.existsSync(place)) fs.mkdirSync(place, { mode: 0o700 });
    for (const old of fs.readdirSync(directory))
      if (old.startsWith(`${name}-`) && old.endsWith('.cache'))
        fs.rmSync(path.join(directory, old), { force: true });
    const draft = `${cacheFile}.${process.pid}`;
    fs.writeFileSync(draft, script.createCachedData(), { mode: 0o600 });
    fs.renameSync(draft, cacheFile);
  } catch {
    // A read-only home, a full disk: the next start is as slow as this one.
  }
}
