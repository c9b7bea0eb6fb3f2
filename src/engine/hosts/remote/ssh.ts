import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, clientEnvironment, FAR_SHELL_WORDS } from './client.ts';

export interface SshOptions {
  readonly program: string;
  readonly destination: string;
  readonly port: number | null;
  readonly identityFile: string | null;
  readonly configFile: string | null;
  readonly options: readonly string[];
  readonly shell: string;
  /** Where the shared connection's socket lies; short, for its path has a limit of about 100 characters. */
  readonly socketDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How long a connection stays open for the next command. */
const PERSIST_SECONDS = 60;

/** The system's OpenSSH with one shared connection; it asks nothing, and checks host keys as its settings say. */
export function createSshClient(options: SshOptions): Client {
  mkdirSync(options.socketDirectory, { recursive: true, mode: 0o700 });
  const control = join(options.socketDirectory, '%C');
  const base = [
    ...['-S', control],
    ...(options.configFile === null ? [] : ['-F', options.configFile]),
    ...(options.port === null ? [] : ['-p', String(options.port)]),
    ...(options.identityFile === null ? [] : ['-i', options.identityFile]),
    // What is given first counts with ssh: the user's own come before ours.
    ...options.options.flatMap((option) => ['-o', option]),
  ];
  const ours = [
    ...['ControlMaster=auto', `ControlPersist=${PERSIST_SECONDS}`, 'BatchMode=yes', 'ConnectTimeout=15'],
    ...[
      'ServerAliveInterval=5',
      'ServerAliveCountMax=2',
      'LogLevel=ERROR',
      'ForwardX11=no',
      'ForwardAgent=no',
    ],
    ...['ClearAllForwardings=yes', 'PermitLocalCommand=no', 'RequestTTY=no', 'RemoteCommand=none'],
  ].flatMap((option) => ['-o', option]);
  const env = clientEnvironment(options.env);
  const words = [
    ...[options.program, '-T', ...base, ...ours, '--', options.destination],
    ['exec', options.shell, ...FAR_SHELL_WORDS].join(' '),
  ];
  return {
    words,
    env,
    close: () =>
      new Promise((resolve) => {
        // Jobs have connections of their own through it: it is asked to take no more, and ends with the last.
        const child = spawn(options.program, [...base, '-O', 'stop', '--', options.destination], {
          env,
          stdio: 'ignore',
          timeout: 2_000,
        });
        child.on('error', () => resolve());
        child.on('close', () => resolve());
      }),
  };
}
