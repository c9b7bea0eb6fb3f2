import type { CallResult } from '../../../index.ts';

/** How a call stands. `cancelled`: the person ended it. */
export type CardState = 'asking' | 'running' | 'ended' | 'cancelled' | 'failed';

/** One call in the transcript, whoever made it. */
export interface CallCard {
  readonly kind: 'call';
  /** `tool`: as a model would have made it. `person`: with `!`, as at a shell. */
  readonly by: 'tool' | 'person';
  /** Kept from the transcript that is saved. */
  readonly isPrivate: boolean;
  readonly command: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly state: CardState;
  /** The end of what it has printed so far; everything that is shown of it once it is over. */
  readonly output: string;
  readonly result: CallResult | null;
  /** How it ended: as a job, or where nothing else is known of it. */
  readonly ending: Pick<CallResult['run'], 'status' | 'exitCode' | 'signal'> | null;
  /** Why it could not be carried out. */
  readonly problem: string | null;
  readonly isExpanded: boolean;
  /** Whether it is ours to end. */
  readonly canStop: boolean;
}

/** Something the console itself says. */
export interface NoteCard {
  readonly kind: 'note';
  readonly text: string;
  readonly tone: 'dim' | 'warn' | 'bad' | 'accent';
}

export type Card = CallCard | NoteCard;

export function isOver({ state }: CallCard): boolean {
  return state === 'ended' || state === 'cancelled' || state === 'failed';
}
