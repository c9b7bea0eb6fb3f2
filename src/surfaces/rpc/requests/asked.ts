import type { Outbox } from '../../serving/outbox.ts';
import type { Message, RequestId } from '../protocol.ts';
import type { RpcSession } from './rpc-session.ts';
import type { RpcSessions } from './rpc-sessions.ts';

/** A request, and what it may work with. */
export interface Asked {
  readonly id: RequestId | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly session: RpcSession;
  readonly sessions: RpcSessions;
  readonly outbox: Outbox<Message>;
  readonly version: string;
  readonly lineBytes: number;
  /** Ends everything once this request is answered. */
  shutdown(): void;
}
