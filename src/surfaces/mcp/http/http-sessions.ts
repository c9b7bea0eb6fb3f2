import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { createMcpToolServer } from '../tool-server.ts';
import { type ClientNotifier, ToolSession, type ToolSessionOptions } from '../tool-session.ts';
import type { HttpRejection } from './access-guard.ts';

export interface HttpSessionsOptions extends ToolSessionOptions {
  readonly version: string;
  /** Idle time after which a session is closed. */
  readonly idleMs: number;
}

/** A client of the protocol revision with sessions, with its own server. */
interface LegacyClient {
  readonly server: Server;
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

interface SessionEntry {
  readonly session: ToolSession;
  readonly client: LegacyClient | null;
  open: number;
  usedAt: number;
}

export const MAX_HTTP_SESSIONS = 64;
const TOO_MANY_SESSIONS: HttpRejection = {
  status: 503,
  message: `${MAX_HTTP_SESSIONS} sessions are in use, which is the limit.`,
};
/** Session names become part of a key, so only these characters are accepted. */
const SESSION_NAME = /^[\w.-]{1,64}$/;

/** The open sessions, by session id for the older protocol revision and by header name for the newer one. */
export class HttpSessions {
  readonly #options: HttpSessionsOptions;
  readonly #entries = new Map<string, SessionEntry>();
  readonly #base: string;
  readonly #timer: NodeJS.Timeout;
  /** Notifies the clients of the newer revision about all sessions. */
  notifier: ClientNotifier | null = null;

  constructor(options: HttpSessionsOptions) {
    this.#options = options;
    this.#base = options.bash.session ?? `mcp-${crypto.randomUUID()}`;
    this.#timer = setInterval(() => this.#sweep(), Math.min(options.idleMs, 10_000));
    this.#timer.unref();
  }

  /** The session that a request of the newer revision names; created on first use. */
  findOrCreate(name: string | null): ToolSession | HttpRejection {
    const key = name === null ? this.#base : `${this.#base}.${name}`;
    if (name !== null && !SESSION_NAME.test(name))
      return { status: 400, message: 'Nacre-Session takes letters, digits, dots, dashes and underscores.' };
    const found = this.#entries.get(`name ${key}`);
    if (found !== undefined) return found.session;
    if (!this.#makeRoom()) return TOO_MANY_SESSIONS;
    const session = this.#newSession(key);
    if (this.notifier !== null) session.notifiers.add(this.notifier);
    this.#add(`name ${key}`, { session, client: null });
    return session;
  }

  /** The transport of a session id; `undefined` when the session does not exist or has expired. */
  client(id: string): WebStandardStreamableHTTPServerTransport | undefined {
    return this.#entries.get(`id ${id}`)?.client?.transport;
  }

  /** Creates the session of an `initialize` request. */
  async createLegacySession(): Promise<WebStandardStreamableHTTPServerTransport | HttpRejection> {
    if (!this.#makeRoom()) return TOO_MANY_SESSIONS;
    const { bash, version } = this.#options;
    const id = crypto.randomUUID();
    const session = this.#newSession(bash.session ?? `${this.#base}.${id}`);
    const server = createMcpToolServer({ session, version, isModern: false, sendsNotifications: true });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => this.#drop(`id ${id}`),
    });
    await server.connect(transport);
    this.#add(`id ${id}`, { session, client: { server, transport } });
    return transport;
  }

  /** Marks the session as in use until the returned function is called. */
  holdOpen(session: ToolSession | string): () => void {
    const entry = [...this.#entries].find(
      ([key, each]) => each.session === session || key === `id ${session}`,
    )?.[1];
    if (entry === undefined) return () => undefined;
    entry.open += 1;
    return () => {
      entry.open -= 1;
      entry.usedAt = Date.now();
    };
  }

  async close(killSignal: AbortSignal): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#entries.keys()].map((key) => this.#drop(key, killSignal)));
  }

  #newSession(key: string): ToolSession {
    const { bash, ...others } = this.#options;
    return new ToolSession({ ...others, bash: { ...bash, session: key } });
  }

  #add(key: string, entry: Pick<SessionEntry, 'session' | 'client'>): void {
    this.#entries.set(key, { ...entry, open: 0, usedAt: Date.now() });
  }

  /** Closes the session that was idle longest when the limit is reached; `false` when all are in use. */
  #makeRoom(): boolean {
    if (this.#entries.size < MAX_HTTP_SESSIONS) return true;
    const idle = [...this.#entries].filter(([, { open }]) => open === 0);
    const [oldest] = idle.sort(([, a], [, b]) => a.usedAt - b.usedAt);
    if (oldest === undefined) return false;
    void this.#drop(oldest[0]);
    return true;
  }

  #sweep(): void {
    const latest = Date.now() - this.#options.idleMs;
    for (const [key, { open, usedAt }] of this.#entries)
      if (open === 0 && usedAt < latest) void this.#drop(key);
  }

  /** Stops the session's calls; its jobs keep running. */
  async #drop(key: string, killSignal?: AbortSignal): Promise<void> {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    await Promise.all([entry?.client?.server.close(), entry?.session.close(killSignal)]);
  }
}
