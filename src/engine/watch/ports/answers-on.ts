import { connect } from 'node:net';

export interface AnswerOptions {
  /** Only this address. By default both addresses of the machine itself, of which one is enough. */
  readonly host?: string | undefined;
  /** @default 250 */
  readonly limitMs?: number;
  readonly signal?: AbortSignal | undefined;
}

const LOOPBACK: readonly string[] = ['127.0.0.1', '::1'];
/** On the way to oneself an answer takes microseconds; silence means that a queue is full or a filter is there. */
const LIMIT_MS = 250;

/** Whether somebody takes connections on a port. Nothing is sent, and when this resolves nothing is open any more. */
export async function answersOn(port: number, options: AnswerOptions = {}): Promise<boolean> {
  const { host, limitMs = LIMIT_MS, signal } = options;
  if (!isPort(port) || signal?.aborted) return false;
  const enough = new AbortController();
  const stop = (): void => enough.abort();
  signal?.addEventListener('abort', stop, { once: true });
  const timer = setTimeout(stop, limitMs);
  const knocks = (host === undefined ? LOOPBACK : [host]).map(async (each) => {
    const answered = await knock({ port, host: each, signal: enough.signal });
    if (answered) stop();
    return answered;
  });
  const answers = await Promise.all(knocks);
  clearTimeout(timer);
  signal?.removeEventListener('abort', stop);
  return answers.includes(true);
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port < 65_536;
}

interface Door {
  readonly port: number;
  readonly host: string;
  readonly signal: AbortSignal;
}

function knock({ port, host, signal }: Door): Promise<boolean> {
  return new Promise((resolve) => {
    let answered = false;
    const socket = connect({ port, host });
    const leave = (): void => void socket.destroy();
    signal.addEventListener('abort', leave, { once: true });
    socket.once('connect', () => {
      answered = true;
      leave();
    });
    // Refused, no such address, no such network: all the same to us. The end of it is told below.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      signal.removeEventListener('abort', leave);
      resolve(answered);
    });
  });
}
