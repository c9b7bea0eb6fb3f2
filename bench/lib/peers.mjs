/** Shells of others, where they are installed: `npm ci --prefix bench/shell-peers`. Each is a name, a way to run a command, and what it can run. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const from = createRequire(new URL('../shell-peers/package.json', import.meta.url));

export async function findPeers() {
  const found = await Promise.all([oneOf(omp), oneOf(justBash), oneOf(bashTool)]);
  return found.filter((peer) => peer !== null);
}

async function oneOf(make) {
  try {
    return await make();
  } catch {
    return null;
  }
}

/** A shell inside the program, with some of its commands, too; it starts real processes for the others. */
async function omp() {
  const { Shell } = from('@oh-my-pi/pi-natives-linux-x64/pi_natives.linux-x64-baseline.node');
  const shell = new Shell();
  const run = (command) => shell.run({ command }, () => undefined);
  await run('true');
  return { name: 'omp, in the program', run, commands: ['true', 'echo hi', '/bin/true', 'git --version'] };
}

/** An interpreter: it starts no process at all, so it cannot run a program. */
async function justBash() {
  const { Bash } = await import(pathToFileURL(from.resolve('just-bash')).href);
  const bash = new Bash();
  const run = (command) => bash.exec(command);
  await run('true');
  return { name: 'just-bash, an interpreter', run, commands: ['true', 'echo hi'] };
}

/** The tool that frameworks take, over the same interpreter. */
async function bashTool() {
  const { createBashTool } = await import('../shell-peers/bash-tool.mjs');
  const { bash } = await createBashTool();
  const run = (command) => bash.execute({ command }, { toolCallId: 'bench', messages: [] });
  await run('true');
  return { name: 'bash-tool with just-bash', run, commands: ['true', 'echo hi'] };
}
