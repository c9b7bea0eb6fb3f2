import type {
  ClientExit,
  ClientTerminal,
  ClientTerminalRequest,
  ClientTerminals,
} from '../../src/engine/hosts/client-terminal-run.ts';

/** A terminal that a test plays. */
export interface FakeTerminal extends ClientTerminal {
  readonly request: ClientTerminalRequest;
  /** What was asked of it, in order, without looks at its output. */
  readonly heard: readonly string[];
  print(text: string): void;
  exit(exit: ClientExit): void;
}

export interface FakeTerminalsOptions {
  /** Calls of these names are never answered. */
  readonly silent?: readonly ('create' | 'output' | 'waitForExit' | 'kill' | 'release')[];
  /** Calls of these names fail. */
  readonly failing?: readonly ('create' | 'output' | 'waitForExit' | 'kill' | 'release')[];
  /** How a kill ends the program; `null`: not at all. */
  readonly killed?: ClientExit | null;
  readonly onCreate?: (terminal: FakeTerminal) => void;
}

/** A client's terminals in memory, with what a client can do wrong. */
export function createFakeTerminals(options: FakeTerminalsOptions = {}) {
  const terminals: FakeTerminal[] = [];
  const answer = <T>(
    name: 'create' | 'output' | 'waitForExit' | 'kill' | 'release',
    value: () => T | Promise<T>,
  ) => {
    if (options.silent?.includes(name)) return new Promise<T>(() => undefined);
    if (options.failing?.includes(name)) return Promise.reject(new Error(`${name} failed`));
    return Promise.resolve(value());
  };
  const clients: ClientTerminals = {
    create: (request) =>
      answer('create', () => {
        const terminal = createTerminal(request, { id: `t${terminals.length}`, answer, options });
        terminals.push(terminal);
        options.onCreate?.(terminal);
        return terminal;
      }),
  };
  return { clients, terminals };
}

interface Parts {
  readonly id: string;
  readonly answer: <T>(
    name: 'output' | 'waitForExit' | 'kill' | 'release',
    value: () => T | Promise<T>,
  ) => Promise<T>;
  readonly options: FakeTerminalsOptions;
}

function createTerminal(request: ClientTerminalRequest, { id, answer, options }: Parts): FakeTerminal {
  const heard: string[] = [];
  let text = '';
  let exited: ClientExit | null = null;
  let tell: (exit: ClientExit) => void = () => undefined;
  const ended = new Promise<ClientExit>((resolve) => {
    tell = resolve;
  });
  const exit = (status: ClientExit): void => {
    exited ??= status;
    tell(exited);
  };
  return {
    id,
    request,
    heard,
    print: (more) => {
      text += more;
    },
    exit,
    output: () =>
      answer('output', () => ({
        output: text.slice(-request.outputByteLimit),
        truncated: text.length > request.outputByteLimit,
        exitStatus: exited,
      })),
    waitForExit: () => answer('waitForExit', () => ended),
    kill: () => {
      heard.push('kill');
      const { killed = { exitCode: null, signal: 'SIGKILL' } } = options;
      return answer('kill', () => {
        if (killed !== null) exit(killed);
      });
    },
    release: () => {
      heard.push('release');
      return answer('release', () => undefined);
    },
  };
}
