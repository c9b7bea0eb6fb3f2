import { resolve } from 'node:path';
import type { BashOptions } from '../../../index.ts';
import { loadSettings, toBashOptions } from '../../config/settings.ts';
import { listenForStopSignals, type StopSignals } from '../../serving/stop-signals.ts';
import { type CliCommand, defineCommand } from '../command.ts';
import { rejectArguments } from '../flags.ts';
import { SESSION_FLAGS, toSessionOptions, withHostOption } from '../session-flags.ts';
import { readVersion } from '../version.ts';

export const command: CliCommand = defineCommand({
  usage: 'rpc [options]',
  summary: 'Serve the tool to programs as JSON lines',
  flags: SESSION_FLAGS,
  notes: [
    'Reads one JSON request per line and writes one JSON response per request.',
    'Exits when stdin ends and all requests are answered. Jobs keep running.',
  ],
  examples: [
    `echo '{"type":"bash","command":"npm test"}' | nacre rpc`,
    `echo '{"type":"hello"}' | nacre rpc --profile modes`,
  ],
  act: async ({ flags, words }) => {
    rejectArguments('rpc', words);
    const cwd = resolve(flags.cwd ?? '.');
    const bash: BashOptions = {
      ...withHostOption(toBashOptions(loadSettings({ cwd, env: process.env })), flags.host),
      cwd,
      ...toSessionOptions(flags),
    };
    const { serveRpc } = await import('../../rpc/serve-rpc.ts');
    const { stdin, stdout } = process;
    const stop = listenForStopSignals();
    stopWithParent(stop);
    await serveRpc({ bash, version: readVersion(), stdin, stdout, stop });
    return stop.exitStatus() ?? 0;
  },
});

/** Interval between checks whether the parent process is alive. */
const PARENT_CHECK_MS = 500;

/** Requests a stop when the parent process is gone: its responses have no reader then. */
function stopWithParent({ request }: StopSignals): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    request();
  }, PARENT_CHECK_MS).unref();
}
