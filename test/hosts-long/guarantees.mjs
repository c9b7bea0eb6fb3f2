/**
 * Writes the table of what each host was seen to do into the guide, from the results of the conformance suite.
 * Argument: what `vitest --reporter=json` wrote. A host whose suite did not run keeps its column as it was.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const PAGE = 'docs/guide/hosts.md';
const BEGIN = '<!-- made by npm run test:hosts -->';
const END = '<!-- end -->';
const HOSTS = ['local', 'sandbox', 'ssh', 'docker', 'podman', 'kubernetes', 'slurm'];

/** Several tests that prove one thing are one row. */
const TOGETHER = [
  [/^an exit code of \d+ /, 'an exit code is that exit code'],
  [/^a death by \w+ /, 'a death by a signal is that death'],
  [
    /^a (?:child|daemon).* ends with the command$/,
    'children, those in sessions of their own and daemons end with the command',
  ],
];

const toRow = (title) => TOGETHER.find(([pattern]) => pattern.test(title))?.[1] ?? title;
const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const seen = new Map();
const ran = new Set();
for (const { name, assertionResults } of testResults) {
  if (!/-conformance\.test|hosts-long\/(?:docker|podman|kubernetes|slurm)\.test/.test(name)) continue;
  for (const { ancestorTitles, title, status } of assertionResults) {
    const host = ancestorTitles.at(-1);
    if (!HOSTS.includes(host)) continue;
    const cells = seen.get(toRow(title)) ?? {};
    seen.set(toRow(title), cells);
    if (status === 'skipped' || status === 'pending') continue;
    ran.add(host);
    cells[host] = status === 'passed' && cells[host] !== 'no' ? 'yes' : 'no';
  }
}

const page = readFileSync(PAGE, 'utf8');
const from = page.indexOf(BEGIN) + BEGIN.length;
const to = page.indexOf(END);
const before = new Map(
  page
    .slice(from, to)
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, row, ...cells]) => [row, Object.fromEntries(HOSTS.map((host, i) => [host, cells[i]]))]),
);
const lines = [...seen].map(
  ([row, cells]) =>
    `| ${row} | ${HOSTS.map((host) => cells[host] ?? (ran.has(host) ? 'no' : (before.get(row)?.[host] ?? 'not tried'))).join(' | ')} |`,
);
const head = [
  `| seen by the suite | ${HOSTS.map((host) => `\`${host}\``).join(' | ')} |`,
  `|${'---|'.repeat(HOSTS.length + 1)}`,
];
writeFileSync(PAGE, `${page.slice(0, from)}\n${[...head, ...lines].join('\n')}\n${page.slice(to)}`);
