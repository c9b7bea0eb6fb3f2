/**
 * How much of what a reader must find survives, and how many bytes it takes: what nacre shows, beside a plain tail
 * and a head-and-tail cut of the same size, and oh-my-pi's minimiser with its cut, where it is installed.
 * `node bench/logs/score.mjs [--set tuned|held|hand] [--lost] [--raw]`: `--raw` without condensers
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { chooseCondenser } from '../../dist/engine/output/condensers/choose-condenser.js';
import { rawOutputFromWindow } from '../../dist/engine/output/raw/raw-output.js';
import { toAgentView } from '../../dist/engine/output/views/agent-view.js';
import { stripWrappers } from '../../dist/tool/policy/unwrap/wrappers.js';
import { parsePlainCommands } from '../../dist/tool/syntax/plain-commands.js';
import { openOmp } from './omp.mjs';

const HERE = import.meta.dirname;
const BUDGETS = [
  ['default', 50 * 1024],
  ['8 KiB', 8 * 1024],
];
const ANY = { only: [], except: [], own: [] };
const wanted = process.argv.includes('--set') ? process.argv[process.argv.indexOf('--set') + 1] : null;

const logs = JSON.parse(readFileSync(join(HERE, 'logs.json'), 'utf8'));
const omp = openOmp();

function read({ id, big }) {
  try {
    return gunzipSync(readFileSync(join(HERE, big ? 'made' : 'kept', `${id}.log.gz`)));
  } catch {
    return null;
  }
}

function source(bytes) {
  let newlines = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) newlines += 1;
  const window = {
    head: bytes,
    tail: Buffer.alloc(0),
    totalBytes: bytes.length,
    newlines,
    unterminated: bytes.at(-1) !== 10,
  };
  return rawOutputFromWindow(window);
}

const kept = (text, facts) => facts.filter((fact) => text.includes(fact));
const percent = (part, whole) =>
  whole === 0 ? '—' : `${((100 * part) / whole).toFixed(part === whole ? 0 : 1)} %`;

const rows = [];
const missing = [];
for (const log of logs) {
  if (wanted !== null && log.set !== wanted) continue;
  const bytes = read(log);
  if (bytes === null) {
    missing.push(log.id);
    continue;
  }
  const whole = bytes.toString().replace(/\x1b\[[0-9;]*m/g, '');
  const wrong = log.facts.filter((fact) => !whole.includes(fact));
  if (wrong.length > 0) console.error(`${log.id}: not in the log itself: ${JSON.stringify(wrong)}`);
  const facts = log.facts.filter((fact) => whole.includes(fact));
  const commands = parsePlainCommands(log.command);
  const condenser =
    commands === null || process.argv.includes('--raw')
      ? null
      : chooseCondenser(commands.map(stripWrappers), ANY);
  const minimised = omp === null ? null : await omp.minimise(log, bytes);
  const results = {};
  for (const [name, budgetBytes] of BUDGETS) {
    const started = performance.now();
    const view = await toAgentView(source(bytes), {
      artifact: 'artifact://r-0123456789',
      limits: { budgetBytes },
      condenser: async () => condenser,
    });
    const ms = performance.now() - started;
    const tail = bytes.subarray(-budgetBytes).toString();
    const ends =
      bytes.length <= budgetBytes
        ? whole
        : bytes.subarray(0, budgetBytes / 2).toString() + bytes.subarray(-budgetBytes / 2).toString();
    results[name] = {
      bytes: Buffer.byteLength(view.text),
      ms,
      found: kept(view.text, facts),
      tail: kept(tail, facts).length,
      omp:
        minimised === null ? 0 : kept(Buffer.from(minimised).subarray(-budgetBytes).toString(), facts).length,
      ends: kept(ends, facts).length,
      condensed: view.truncation?.condensedBy ?? '',
      over: Buffer.byteLength(view.text) - budgetBytes,
    };
    if (process.argv.includes('--lost'))
      for (const fact of facts)
        if (!results[name].found.includes(fact)) console.error(`${name}\t${log.id}\t${fact}`);
  }
  rows.push({ ...log, size: bytes.length, facts, results });
}

for (const [name] of BUDGETS) {
  console.log(
    `\n## ${name}\n\n| log | outcome | bytes | shown | less | facts | nacre | tail | head and tail | oh-my-pi | condensed as |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|`,
  );
  for (const { id, outcome, size, facts, results } of rows) {
    const { bytes, found, tail, ends, condensed, omp: peer } = results[name];
    console.log(
      `| ${id} | ${outcome} | ${size} | ${bytes} | ${percent(Math.max(0, size - bytes), size)} | ${facts.length} | ${percent(found.length, facts.length)} | ${percent(tail, facts.length)} | ${percent(ends, facts.length)} | ${omp === null ? '—' : percent(peer, facts.length)} | ${condensed} |`,
    );
  }
}

console.log(
  '\n## In all\n\n| set | budget | logs | bytes | shown | facts | nacre | tail | head and tail | oh-my-pi | least cut of passing tests and installs |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
);
for (const set of [...new Set(rows.map((row) => row.set))]) {
  for (const [name, budget] of BUDGETS) {
    const of = rows.filter((row) => row.set === set);
    const sum = (value) => of.reduce((total, row) => total + value(row), 0);
    const facts = sum((row) => row.facts.length);
    const share = (value) =>
      percent(
        sum(({ results }) => value(results[name])),
        facts,
      );
    const quiet = of
      .filter((row) => ['pass', 'install'].includes(row.outcome) && row.size > budget)
      .map((row) => ({ id: row.id, less: 1 - row.results[name].bytes / row.size }))
      .sort((one, other) => one.less - other.less);
    const cells = [
      ...[set, name, of.length, sum((row) => row.size), sum(({ results }) => results[name].bytes), facts],
      ...[share(({ found }) => found.length), share(({ tail }) => tail), share(({ ends }) => ends)],
      ...[omp === null ? '—' : share((result) => result.omp)],
      quiet[0] === undefined ? '—' : `${percent(quiet[0].less, 1)} (${quiet[0].id})`,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}
const over = rows.flatMap((row) => BUDGETS.map(([name]) => row.results[name].over));
console.log(`\nMost that a view was over its budget: ${Math.max(...over)} bytes.`);
const big = rows
  .filter((row) => row.big)
  .map(({ id, size, results }) => `${id} ${Math.round(size / 1000 / results.default.ms)} MB/s`);
if (big.length > 0) console.log(`The whole view of what is not kept here: ${big.join(', ')}.`);
omp?.close();
if (omp === null)
  console.log('oh-my-pi is not installed: npm install --prefix bench/logs/peer --ignore-scripts');
if (missing.length > 0) console.log(`Not made: ${missing.join(', ')}.`);
