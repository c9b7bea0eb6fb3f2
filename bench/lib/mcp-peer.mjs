/** A server of the protocol on stdin and stdout, spoken to by hand, so that nothing but the server is measured. */
import { spawn } from 'node:child_process';

export class McpPeer {
  #child;
  #waiting = new Map();
  #next = 1;
  #rest = '';

  constructor(command, { env, cwd }) {
    const [file, ...args] = command;
    this.#child = spawn(file, args, { env, cwd, stdio: ['pipe', 'pipe', 'ignore'] });
    this.#child.stdout.setEncoding('utf8').on('data', (text) => this.#take(text));
  }

  get pid() {
    return this.#child.pid;
  }

  request(method, params) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#write({ id, method, params });
    });
  }

  async initialize() {
    const clientInfo = { name: 'bench', version: '1' };
    await this.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    this.#write({ method: 'notifications/initialized' });
  }

  call(name, input) {
    return this.request('tools/call', { name, arguments: input });
  }

  async close() {
    this.#child.stdin.end();
    // Some servers do not take the hint.
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 5_000);
    if (this.#child.exitCode === null && this.#child.signalCode === null)
      await new Promise((resolve) => this.#child.once('close', resolve));
    clearTimeout(timer);
  }

  #write(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #take(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop();
    for (const line of lines) {
      const { id, result, error, method } = JSON.parse(line);
      const waiting = method === undefined ? this.#waiting.get(id) : undefined;
      this.#waiting.delete(id);
      if (error) waiting?.reject(new Error(error.message));
      else waiting?.resolve(result);
    }
  }
}
