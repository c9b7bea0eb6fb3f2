/** oh-my-pi's minimiser, for comparison: its shell runs the command with a stand-in for the program that prints the log. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parsePlainCommands } from '../../dist/tool/syntax/plain-commands.js';

const ADDON = join(
  import.meta.dirname,
  'peer/node_modules/@oh-my-pi/pi-natives-linux-x64/pi_natives.linux-x64-baseline.node',
);

/** `null`: it is not installed (`npm install --prefix bench/logs/peer --ignore-scripts`). */
export function openOmp() {
  if (!existsSync(ADDON)) return null;
  const natives = createRequire(import.meta.url)(ADDON);
  const root = mkdtempSync(join(tmpdir(), 'nacre-omp-'));
  return {
    minimise: (log, bytes) => minimise(log, { bytes, natives, root }),
    close: () => rmSync(root, { recursive: true }),
  };
}

async function minimise({ id, command, outcome }, { bytes, natives, root }) {
  const cwd = join(root, id);
  mkdirSync(join(cwd, 'bin'), { recursive: true });
  const file = join(root, `${id}.txt`);
  writeFileSync(file, bytes);
  const programs = (parsePlainCommands(command) ?? [])
    .map(([program]) => program)
    .filter((name) => name !== 'cd');
  for (const [index, program] of programs.entries()) {
    const prints = index === programs.length - 1;
    const path = program.includes('/') ? join(cwd, program) : join(cwd, 'bin', program);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      prints ? `#!/bin/sh\n/bin/cat '${file}'\nexit ${outcome === 'fail' ? 1 : 0}\n` : '#!/bin/sh\nexit 0\n',
    );
    chmodSync(path, 0o755);
  }
  let raw = '';
  const { minimized } = await natives.executeShell(
    {
      command,
      cwd,
      env: { PATH: `${join(cwd, 'bin')}:/usr/bin:/bin` },
      timeoutMs: 60_000,
      minimizer: { enabled: true },
    },
    (_error, chunk) => {
      raw += chunk ?? '';
    },
  );
  return minimized?.text ?? raw;
}
