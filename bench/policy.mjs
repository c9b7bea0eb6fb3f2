/**
 * What it costs to judge a command before it runs: everyday commands, and scripts of ten and of a hundred thousand characters of
 * several kinds. Prints a table; with `--write` it replaces its section in docs/benchmarks.md. `node bench/policy.mjs [--rounds 60]`
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parse } from 'unbash';
import { createPolicy } from '../dist/tool/approvals/create-policy.js';
import { median, ms, p95, table } from './lib/measure.mjs';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '60' }, write: { type: 'boolean', default: false } },
});
const rounds = Number(values.rounds);
const policy = createPolicy();
const context = { home: '/home/user', cwd: '/home/user/project' };

const EVERYDAY = [
  'ls -la',
  'npm test 2>&1 | tail -20',
  'git status --short && git diff --stat',
  'cd packages/app && npm run build',
  'grep -rn "createBash" src | head -50',
  'git add src/index.ts test/index.test.ts && git commit -m "fix: the thing"',
  'for f in src/*.ts; do wc -l "$f"; done',
  'find . -name "*.test.ts" -not -path "./node_modules/*" | xargs grep -l describe',
  'python3 - <<\'EOF\'\nimport json\nprint(json.load(open("package.json"))["version"])\nEOF',
  'git commit -m "$(cat <<\'EOF\'\nfeat: one thing\n\nIt does this, and never git push --force.\nEOF\n)"',
  'test -d dist && rm -rf dist; mkdir -p dist && cp -r assets dist/',
  'docker compose exec -T web sh -c "npm ci && npm test"',
];

const KINDS = {
  'a plain script': (index) =>
    `step_${index}() {\n  echo "step ${index}: $1"\n  mkdir -p "out/$1" && cp -r "src/$1" "out/$1"\n}\nstep_${index} part${index}\nif [ -f "out/list${index}" ]; then cat "out/list${index}" >> all.log; fi\n`,
  'a script of loops': (index) =>
    `for name in a b c d; do\n  while read -r line; do\n    file="out/$name/$line"\n    [ -f "$file" ] && rm -f "$file"\n  done < "list${index}"\n  git add "out/$name"\ndone\n`,
  'loops inside loops': (index) =>
    `for a in 1 2 3; do for b in x y z; do for c in p q; do\n  path="dir$a/$b/$c${index}"\n  rm -rf "$path/tmp"; git add "$path/file"\ndone; done; done\n`,
  'functions with words': (index) =>
    `clean_${index}() { local dir="$1"; shift; for f in "$@"; do rm -f "$dir/$f"; done; }\nclean_${index} build a b c\nclean_${index} dist "$x" d\nv${index}="$(basename "$0")"; git add "docs/$v${index}"\n`,
  'substitutions in substitutions': (index) =>
    `x${index}="$(printf '%s' "$(dirname "$(pwd)/a${index}")")"; rm -rf "$x${index}/cache"; y="\${x${index}%/*}/z"; git add "$y"\n`,
};

const repeat = (kind, length) => {
  let text = '';
  for (let index = 0; text.length < length; index += 1) text += KINDS[kind](index);
  return text;
};

const candidates = [
  ['everyday commands, each', EVERYDAY],
  ...Object.keys(KINDS).map((kind) => [`10 KB: ${kind}`, [repeat(kind, 10_000)]]),
  ...Object.keys(KINDS).map((kind) => [`100 KB: ${kind}`, [repeat(kind, 100_000)]]),
];

const measured = new Map(candidates.map(([name]) => [name, { judged: [], parsed: [], verdicts: new Set() }]));
for (let round = -10; round < rounds; round += 1)
  for (const [name, commands] of candidates) {
    if (name.startsWith('100') && round % 3 !== 0) continue;
    const { judged, parsed, verdicts } = measured.get(name);
    for (const command of commands) {
      const begin = performance.now();
      const { verdict, findings } = policy.judge(command, context);
      const middle = performance.now();
      parse(command);
      const end = performance.now();
      verdicts.add(verdict === 'allow' ? verdict : `${verdict} (${findings[0]?.because})`);
      if (round >= 0) judged.push(middle - begin);
      if (round >= 0) parsed.push(end - middle);
    }
  }

const rows = [...measured].map(([name, { judged, parsed, verdicts }]) => [
  name,
  ms(median(judged)),
  ms(p95(judged)),
  `${(median(judged) / median(parsed)).toFixed(1)} ×`,
  [...verdicts].join(', '),
]);
const section = [
  '## Judging a command',
  '',
  'What the policy costs before anything is started, beside what the parser alone takes for the same text.',
  '',
  table(['text', 'median', 'p95', 'of parsing alone', 'verdict'], rows),
  '',
].join('\n');
console.log(section);
if (values.write) {
  const page = new URL('../docs/benchmarks.md', import.meta.url);
  const text = readFileSync(page, 'utf8');
  const at = text.search(/^## Judging a command$/m);
  const rest = at < 0 ? '' : text.slice(at + 3).replace(/^[\s\S]*?(?=^## |$(?![\s\S]))/m, '');
  writeFileSync(
    page,
    `${(at < 0 ? text : text.slice(0, at)).trimEnd()}\n\n${section}${rest === '' ? '' : `\n${rest}`}`,
  );
}
