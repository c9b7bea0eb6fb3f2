/** Lists what a release still lacks, and exits with 1 while something is missing. docs/release.md explains the steps. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
const manifest = JSON.parse(read('package.json'));
const checks = [
  ...['repository', 'homepage', 'bugs'].map((field) => [
    `package.json: '${field}' needs the public address of the project`,
    manifest[field] !== undefined,
  ]),
  [
    'SECURITY.md: add an address to which a vulnerability is reported',
    /\S+@\S+\.\S+|https:\/\/\S+/.test(read('SECURITY.md')),
  ],
  ['.github/CODEOWNERS: add the owners', /^\*\s+@\S+/m.test(read('.github/CODEOWNERS'))],
  [
    `CHANGELOG.md: add a dated heading for ${manifest.version}`,
    new RegExp(`^## ${manifest.version.replaceAll('.', '\\.')} .*\\d{4}-\\d{2}-\\d{2}`, 'm').test(
      read('CHANGELOG.md'),
    ),
  ],
  ['The working tree has changes that are not committed', git('status', '--porcelain') === ''],
];

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

const missing = checks.filter(([, holds]) => !holds).map(([text]) => text);
for (const text of missing) console.error(`missing: ${text}`);
if (missing.length === 0) console.log(`nacre ${manifest.version} is ready to be released`);
process.exitCode = missing.length === 0 ? 0 : 1;
