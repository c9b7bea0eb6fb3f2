import type { StreamName } from '../../run/files.ts';
import type { StoredRun } from '../../run/record/store.ts';
import type { OutputMatch } from './output-scan.ts';

/** Something that may come to hold of a stored run. */
export type WaitCondition =
  | { readonly kind: 'ended'; readonly run: string }
  | {
      readonly kind: 'output';
      readonly run: string;
      /** A text is found as it stands; a pattern is tried on each line by itself. */
      readonly pattern: string | RegExp;
      /** The byte to begin with. @default 0 */
      readonly from?: number;
      /** @default 'out' */
      readonly stream?: StreamName;
    }
  | {
      readonly kind: 'port';
      readonly port: number;
      /** @default both addresses of the machine itself */
      readonly host?: string;
      /** Whose port it is: once this run is over, nobody will answer. */
      readonly run?: string;
      /** Who must hold the port for it to count; left out, anybody may. */
      readonly owners?: () => readonly number[];
    };

/** A condition that holds, by its place in the list. */
export type WaitHold =
  | { readonly kind: 'ended'; readonly condition: number; readonly run: StoredRun }
  | ({ readonly kind: 'output'; readonly condition: number } & OutputMatch)
  | { readonly kind: 'port'; readonly condition: number; readonly port: number };

/** A condition that cannot come to hold any more: its run is over, or there is no such run. */
export interface WaitLapse {
  readonly kind: 'lapsed';
  readonly condition: number;
  readonly why: 'ended' | 'missing';
}

/** How a wait ended. All that held at the last look are named, in the order of the conditions. */
export type WaitResult =
  | { readonly kind: 'held'; readonly held: readonly WaitHold[] }
  | { readonly kind: 'never'; readonly lapsed: readonly WaitLapse[] }
  /** `part`: the time was over before all the output there was had been searched. */
  | { readonly kind: 'time'; readonly searched: 'all' | 'part' }
  | { readonly kind: 'aborted' };
