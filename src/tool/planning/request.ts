import type { ArrayRequest } from '../hosts/array.ts';
import type { WiderSandbox } from '../hosts/wider.ts';
import type { ServiceRequest } from '../job/service/service.ts';
import type { TimeLimit } from './time-limit.ts';

/** What a call asks for, in our words: the same for every profile. */
export interface CallRequest {
  readonly command: string;
  /** As it was given; `null` when the call named none. */
  readonly cwd: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly timeLimit: TimeLimit;
  /** Lines to show from the start, and then from the end of those; `null` for no limit. */
  readonly head: number | null;
  readonly tail: number | null;
  /** Whether the output is to be shown without anything left out that would fit. */
  readonly raw: boolean;
  readonly stdin: CallStdin | null;
  /** Whether a terminal is asked for. */
  readonly pty: boolean;
  /** How long the call waits until its command goes on as a job; `null`: to the end. */
  readonly waitMs: number | null;
  /** Whether the call returns at once and the command goes on as a job. */
  readonly background: boolean;
  readonly service: ServiceRequest | null;
  /** What it asks for beyond its sandbox. */
  readonly sandbox: WiderSandbox | null;
  /** The tasks of an array of a cluster, each of which is a job. */
  readonly array: ArrayRequest | null;
}

/** What the command reads: a text, or what is sent to it while it runs. */
export type CallStdin = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'open' };
