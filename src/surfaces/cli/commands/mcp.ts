import { join, resolve } from 'node:path';
import { type BashOptions, defaultStateDirectory } from '../../../index.ts';
import { loadSettings, type Settings, settingOrDefault, toBashOptions } from '../../config/settings.ts';
import { listenForStopSignals } from '../../serving/stop-signals.ts';
import { type CliCommand, defineCommand } from '../command.ts';
import {
  type Flag,
  type FlagValues,
  rejectArguments,
  secondsFlag,
  switchFlag,
  textFlag,
  toFlagName,
  usageError,
} from '../flags.ts';
import { printError } from '../print.ts';
import { outputMaxBytesFlag, SESSION_FLAGS, toSessionOptions, withHostOption } from '../session-flags.ts';
import { readVersion } from '../version.ts';

const port: Flag<number> = {
  value: '<number>',
  help: 'With --http: port to listen on, 0 for any free port (default: 3917)',
  expected: 'a number from 0 to 65535',
  parse: (word) => (/^\d{1,5}$/.test(word) && Number(word) <= 65_535 ? Number(word) : undefined),
};

const FLAGS = {
  ...SESSION_FLAGS,
  outputMaxBytes: outputMaxBytesFlag,
  callLimit: secondsFlag('Tool timeout of the client, 0 for none (default: by its name)'),
  http: switchFlag('Serve over HTTP, with a bearer token, instead of stdin and stdout'),
  port,
  address: textFlag('<address>', 'With --http: address to listen on (default: 127.0.0.1)'),
  tokenFile: textFlag('<file>', 'With --http: file of the token (default: mcp-token in the state directory)'),
};

type McpFlags = FlagValues<typeof FLAGS>;

export const command: CliCommand = defineCommand({
  usage: 'mcp [options]',
  summary: 'Serve the tool to agents over MCP',
  flags: FLAGS,
  notes: [
    'Serves MCP on stdin and stdout until stdin ends. Jobs keep running.',
    'A long call becomes a job shortly before the client would time out.',
  ],
  examples: [
    'claude mcp add nacre -- npx -y nacre mcp',
    'claude mcp add nacre -- npx -y nacre mcp --host sandbox',
    'codex mcp add nacre -- npx -y nacre mcp',
    'nacre mcp --http --port 3917',
  ],
  act: async ({ flags, words }) => {
    rejectArguments('mcp', words);
    const lost = (['port', 'address', 'tokenFile'] as const).find((name) => flags[name] !== undefined);
    if (!flags.http && lost !== undefined) throw usageError(`${toFlagName(lost)} needs --http.`);
    const cwd = resolve(flags.cwd ?? '.');
    const settings = loadSettings({ cwd, env: process.env });
    const stop = listenForStopSignals();
    const options = {
      bash: bashOptions(flags, { cwd, settings }),
      callLimit: callLimitOf(flags, settings),
      client: String(settingOrDefault(settings, 'mcp.client')),
      answeredElsewhereMs: Number(settingOrDefault(settings, 'mcp.answeredElsewhereMs')),
      version: readVersion(),
      complain: printError,
      stop,
    };
    if (flags.http) {
      const { serveHttp } = await import('../../mcp/http/serve-http.ts');
      await serveHttp({ ...options, ...httpOptions(flags, { settings, bash: options.bash }) });
    } else {
      const { serveStdio } = await import('../../mcp/serve-stdio.ts');
      await serveStdio(options);
    }
    return stop.exitStatus() ?? 0;
  },
});

function bashOptions(flags: McpFlags, { cwd, settings }: { cwd: string; settings: Settings }): BashOptions {
  return {
    ...withHostOption(toBashOptions(settings), flags.host),
    cwd,
    ...toSessionOptions(flags),
    ...(flags.outputMaxBytes === undefined ? {} : { output: { maxBytes: flags.outputMaxBytes } }),
  };
}

function callLimitOf({ callLimit }: McpFlags, settings: Settings): number | 'auto' {
  const limit = callLimit === undefined ? settings.get('mcp.callLimitMs')?.value : callLimit * 1_000;
  return typeof limit === 'number' ? limit : 'auto';
}

function httpOptions(flags: McpFlags, { settings, bash }: { settings: Settings; bash: BashOptions }) {
  const stateDirectory = bash.stateDirectory ?? defaultStateDirectory(process.env);
  return {
    host: flags.address ?? '127.0.0.1',
    port: flags.port ?? 3917,
    tokenFile: resolve(flags.tokenFile ?? join(stateDirectory, 'mcp-token')),
    otherHosts: settingOrDefault(settings, 'mcp.http.hosts') as readonly string[],
    idleMs: Number(settingOrDefault(settings, 'mcp.http.idleMs')),
  };
}
