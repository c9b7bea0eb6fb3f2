/**
 * Draws a terminal session as an SVG from what the program really prints: `node scripts/picture.js`.
 * Each scene is a line that is run in bash, in a directory of its own, with `nacre` on the path.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const CELL = { width: 8.4, height: 19 };
const COLUMNS = 104;
const COLOURS = {
  text: '#d7dae0',
  dim: '#7d8590',
  prompt: '#7ee787',
  note: '#e3b341',
  failure: '#ff7b72',
  back: '#0d1117',
  bar: '#161b22',
};

const PICTURES = {
  'at-work': [
    {
      line: "nacre run 'npm run dev & echo started'",
      say: 'a child that holds the pipe does not hold the call',
    },
    {
      line: 'nacre run --timeout 1 "trap \'\' TERM; setsid sleep 900 & sleep 900"; echo "exit $?"',
      say: 'a limit ends the whole tree, whatever it ignores',
    },
    {
      line: "nacre run --view ./build.sh | sed -n '343,351p;$p'",
      say: '2 MB of log: the line that tells why is still there',
    },
    { line: "nacre run 'echo key: $OPENAI_API_KEY'", say: 'secrets stay with you' },
  ],
};

const place = mkdtempSync(join(tmpdir(), 'nacre-picture-'));
prepare();
for (const [name, scenes] of Object.entries(PICTURES)) {
  const rows = scenes.flatMap(({ line, say }) => [
    { text: `# ${say}`, colour: 'dim' },
    { text: `$ ${line}`, colour: 'text', prompt: true },
    ...play(line),
    { text: '' },
  ]);
  writeFileSync(join(ROOT, 'docs/pictures', `${name}.svg`), draw(rows.slice(0, -1)));
}
rmSync(place, { recursive: true, force: true });

function prepare() {
  mkdirSync(join(place, 'bin'));
  symlinkSync(join(ROOT, 'bin/nacre.cjs'), join(place, 'bin/nacre'));
  const server =
    'import http from "node:http"; console.log("listening"); setTimeout(() => process.exit(), 3000);';
  writeFileSync(join(place, 'server.mjs'), server);
  writeFileSync(join(place, 'package.json'), '{ "scripts": { "dev": "node server.mjs" } }');
  const build =
    '#!/bin/bash\nseq -f "compiling module %g of 60000" 1 30000\necho "src/app.ts(42,7): error TS2322: Type \'string\' is not assignable to type \'number\'."\nseq -f "compiling module %g of 60000" 30001 60000\nexit 2\n';
  writeFileSync(join(place, 'build.sh'), build, { mode: 0o755 });
}

function play(line) {
  const env = {
    ...process.env,
    PATH: `${join(place, 'bin')}:${process.env.PATH}`,
    XDG_STATE_HOME: join(place, 'state'),
    OPENAI_API_KEY: 'sk-proj-0123456789abcdefghijklmnop',
    NO_COLOR: '1',
  };
  const { stdout } = spawnSync('bash', ['-c', `${line} 2>&1`.replace('; echo', ' 2>&1; echo')], {
    cwd: place,
    env,
    encoding: 'utf8',
  });
  const rows = stdout.trimEnd().split('\n');
  const shown = rows.length > 11 ? [...rows.slice(0, 4), '   ⋮', ...rows.slice(-4)] : rows;
  return shown.flatMap((text) => wrap(text)).map((text) => ({ text, colour: colourOf(text) }));
}

function wrap(text) {
  return text.match(new RegExp(`.{1,${COLUMNS}}(?: |$)`, 'gu')) ?? [''];
}

function colourOf(text) {
  if (/error TS|exited with code/.test(text)) return 'failure';
  if (/^nacre:|omitted|Showing|⋮|artifact:/.test(text)) return 'note';
  return 'text';
}

function draw(rows) {
  const width = Math.ceil(COLUMNS * CELL.width) + 40;
  const height = rows.length * CELL.height + 64;
  const lines = rows.map(({ text, colour = 'text', prompt }, index) => {
    const y = 58 + index * CELL.height;
    const body = prompt ? `<tspan fill="${COLOURS.prompt}">$</tspan>${toXml(text.slice(1))}` : toXml(text);
    return `<text x="20" y="${y}" fill="${COLOURS[colour]}" xml:space="preserve">${body}</text>`;
  });
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, index) => `<circle cx="${22 + index * 20}" cy="18" r="6" fill="${fill}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
<rect width="${width}" height="${height}" rx="10" fill="${COLOURS.back}"/><path d="M0 36V10A10 10 0 0 1 10 0H${width - 10}A10 10 0 0 1 ${width} 10V36Z" fill="${COLOURS.bar}"/>
${dots.join('')}
${lines.join('\n')}
</svg>
`;
}

function toXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
