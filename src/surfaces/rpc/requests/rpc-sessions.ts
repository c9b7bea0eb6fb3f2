import { type BashOptions, NacreError, type ProfileName } from '../../../index.ts';
import type { Event, SessionInfo } from '../protocol.ts';
import { badField } from './fields.ts';
import { RpcSession } from './rpc-session.ts';

export const MAX_SESSIONS = 64;
export const MAX_CALLS = 100;
/** The one that is always there. */
const FIRST = 'main';

export interface NewSession {
  readonly name: string;
  readonly cwd?: string;
  readonly profile?: ProfileName;
}

/** The sessions of one client, by the names it gave them. */
export class RpcSessions {
  readonly #options: BashOptions;
  readonly #tell: (event: Event) => void;
  readonly #unheard = new AbortController();
  readonly #sessions = new Map<string, RpcSession>();

  constructor(options: BashOptions, tell: (event: Event) => void) {
    this.#options = options;
    this.#tell = tell;
  }

  find(name: string = FIRST): RpcSession {
    const found = this.#sessions.get(name);
    if (found !== undefined) return found;
    if (name === FIRST) return this.#make(FIRST, this.#options);
    throw badField('session', `there is no session ${JSON.stringify(name)}; open_session makes one`);
  }

  /** The same name again is the same session. */
  open({ name, ...more }: NewSession): SessionInfo {
    const found = this.#sessions.get(name);
    if (found !== undefined) return found.info;
    if (this.#sessions.size >= MAX_SESSIONS)
      throw new NacreError('too_many', {
        what: 'sessions are open',
        limit: MAX_SESSIONS,
        advice: 'Close one',
      });
    return this.#make(name, { ...this.#options, ...more, session: name }).info;
  }

  list(): readonly SessionInfo[] {
    return [...this.#sessions.values()].map(({ info }) => info);
  }

  /** Its calls end, its jobs go on. */
  async close(name: string): Promise<void> {
    const session = this.find(name);
    this.#sessions.delete(name);
    await session.close();
  }

  requireRoom(): void {
    const calls = [...this.#sessions.values()].reduce((sum, { callCount }) => sum + callCount, 0);
    if (calls >= MAX_CALLS)
      throw new NacreError('too_many', {
        what: 'calls are under way',
        limit: MAX_CALLS,
        advice: 'Wait for one to end',
      });
  }

  /** Nobody is left who could answer a question. */
  leaveUnheard(): void {
    this.#unheard.abort();
  }

  async closeAll(): Promise<void> {
    this.leaveUnheard();
    await Promise.all([...this.#sessions.keys()].map((name) => this.close(name)));
  }

  #make(name: string, bash: BashOptions): RpcSession {
    const session = new RpcSession({ name, bash, tell: this.#tell, unheard: this.#unheard.signal });
    this.#sessions.set(name, session);
    return session;
  }
}
