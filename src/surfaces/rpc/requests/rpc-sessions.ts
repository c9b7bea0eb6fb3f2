import { type BashOptions, NacreError, type ProfileName } from '../../../index.ts';
import { Lane } from '../../serving/lane.ts';
import type { Outbox } from '../../serving/outbox.ts';
import { TurnLane } from '../../serving/turn-lane.ts';
import type { Event, Hello, SessionInfo } from '../protocol.ts';
import { badField } from './fields.ts';
import { RpcSession } from './rpc-session.ts';

const MAX_SESSIONS = 64;
/** The one that is always there. */
const FIRST = 'main';

export interface NewSession {
  readonly name: string;
  readonly cwd?: string;
  readonly profile?: ProfileName;
}

/** The sessions of one client, by the names it gave them. */
export class RpcSessions {
  readonly calls: Lane = new Lane(100, 'calls are under way');
  readonly jobCalls: Lane = new Lane(100, 'requests for jobs are under way');
  readonly reads: TurnLane;
  readonly #options: BashOptions;
  readonly #tell: (event: Event) => void;
  readonly #unheard = new AbortController();
  readonly #sessions = new Map<string, RpcSession>();

  constructor(options: BashOptions, outbox: Pick<Outbox<Event>, 'send' | 'ready'>) {
    this.#options = options;
    this.#tell = (event) => outbox.send(event);
    this.reads = new TurnLane(new Lane(1_000, 'artifacts wait to be read'), () => outbox.ready());
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
  async close(name: string, killSignal?: AbortSignal): Promise<void> {
    const session = this.find(name);
    this.#sessions.delete(name);
    await session.close(killSignal);
  }

  get limits(): Omit<Hello['limits'], 'lineBytes'> {
    return {
      calls: this.calls.limit,
      jobs: this.jobCalls.limit,
      reads: this.reads.limit,
      sessions: MAX_SESSIONS,
    };
  }

  /** Nobody is left who could answer a question. */
  leaveUnheard(): void {
    this.#unheard.abort();
  }

  async closeAll(killSignal: AbortSignal): Promise<void> {
    this.leaveUnheard();
    await Promise.all([...this.#sessions.keys()].map((name) => this.close(name, killSignal)));
  }

  #make(name: string, bash: BashOptions): RpcSession {
    const session = new RpcSession({ name, bash, tell: this.#tell, unheard: this.#unheard.signal });
    this.#sessions.set(name, session);
    return session;
  }
}
