import type { RequestId } from '../protocol.ts';
import type { Outbox } from '../wire/outbox.ts';
import type { RpcSession } from './rpc-session.ts';
import type { RpcSessions } from './rpc-sessions.ts';

/** A request, and what it may work with. */
export interface Asked {
  readonly id: RequestId | undefined;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly session: RpcSession;
  readonly sessions: RpcSessions;
  readonly outbox: Outbox;
  readonly version: string;
  readonly lineBytes: number;
  /** Ends everything once this request is answered. */
  shutdown(): void;
}
