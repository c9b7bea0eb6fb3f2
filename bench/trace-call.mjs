/**
 * Traces one warm `bash.call({ command: 'echo hi' })`: how many files of `src` it passes through, and how often it crosses
 * between `tool` and `engine`.
 *
 * The script runs a copy of `dist` in which every function reports its module when it is entered. It makes some calls to warm
 * up, waits until the shell pool is idle, and then records one call from its start to its result.
 *
 * - A file counts when at least one of its functions is entered. One module of `dist` is one file of `src`.
 * - A crossing is a change of layer between two functions that are entered one after the other: a `tool` function that is
 *   entered after an `engine` function, or the reverse. A `tool` function that calls into `engine` and then calls another
 *   `tool` function makes two crossings.
 *
 * `npm run build && node bench/trace-call.mjs` prints both numbers and the files; `--crossings` also prints the functions
 * before and after each crossing.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { parseAst } from 'rolldown/parseAst';
import { rest } from './lib/measure.mjs';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const WARM_UP_CALLS = 20;
const IDLE_MS = 500;
const FUNCTION_TYPES = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];

const { values } = parseArgs({ options: { crossings: { type: 'boolean', default: false } } });
const entered = await traceWarmCall();
const files = [...new Set(entered.map(({ file }) => file))].sort();
const layered = entered.filter(({ file }) => layerOf(file) !== null);
const crossings = layered.flatMap((next, at) => {
  const before = layered[at - 1];
  return before === undefined || layerOf(before.file) === layerOf(next.file) ? [] : [{ before, next }];
});
console.log(`${files.length} files, ${crossings.length} crossings`);
for (const file of files) console.log(`  ${file}`);
if (values.crossings)
  for (const { before, next } of crossings) console.log(`${render(before)} -> ${render(next)}`);

async function traceWarmCall() {
  const copy = mkdtempSync(join(DIST, 'trace-'));
  const stateDirectory = mkdtempSync(join(tmpdir(), 'nacre-trace-'));
  try {
    let entries = [];
    globalThis.enterFunction = (file, name) => entries.push({ file, name });
    const { createBash } = await import(pathToFileURL(join(copyInstrumented(copy), 'index.js')).href);
    const bash = createBash({ stateDirectory });
    for (let call = 0; call < WARM_UP_CALLS; call++) await bash.call({ command: 'echo hi' });
    await rest(IDLE_MS);
    entries = [];
    await bash.call({ command: 'echo hi' });
    const traced = [...entries];
    await bash.close();
    return traced;
  } finally {
    rmSync(copy, { recursive: true, force: true });
    rmSync(stateDirectory, { recursive: true, force: true });
  }
}

/** The copy is inside `dist`, so that its modules find the dependencies of the package. */
function copyInstrumented(copy) {
  const modules = readdirSync(DIST).filter((name) => name.endsWith('.js'));
  for (const name of ['engine', 'tool', ...modules])
    cpSync(join(DIST, name), join(copy, name), { recursive: true });
  for (const name of readdirSync(copy, { recursive: true }).filter((path) => path.endsWith('.js'))) {
    const file = name.replace(/\.js$/, '.ts');
    writeFileSync(join(copy, name), instrument(readFileSync(join(copy, name), 'utf8'), file));
  }
  return copy;
}

function instrument(text, file) {
  const insertions = [];
  visit(parseAst(text), null, (node, name) => {
    const call = `enterFunction(${JSON.stringify(file)}, ${JSON.stringify(name)})`;
    if (node.body.type === 'BlockStatement') insertions.push([node.body.start + 1, `${call};`]);
    else insertions.push([node.body.start, `(${call}, `], [node.body.end, ')']);
  });
  insertions.sort(([a], [b]) => b - a);
  return insertions.reduce((result, [at, part]) => result.slice(0, at) + part + result.slice(at), text);
}

/** Calls back for every function below a node, with the name it is defined under. */
function visit(node, parent, onFunction) {
  if (FUNCTION_TYPES.includes(node.type)) {
    const named = node.id ?? parent?.key ?? parent?.id;
    onFunction(node, named?.name ?? '(anonymous)');
  }
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child?.type === 'string') visit(child, node, onFunction);
  }
}

function layerOf(file) {
  return /^(tool|engine)\//.exec(file)?.[1] ?? null;
}

function render({ file, name }) {
  return `${file} ${name}`;
}
