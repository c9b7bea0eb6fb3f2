import type { StoredRun } from '../../../engine/run/record/store.ts';
import { endInputOfRun, sendToRun } from '../../../engine/run/supervise/input.ts';
import { signalRun } from '../../../engine/run/tree/kill.ts';
import { badInput } from '../../input/check-input.ts';
import { KEY_NAMES, type KeyEffect, toKeyEffect } from './keys.ts';

/** What is sent to a job, in this order. */
export interface SendOptions {
  /** As it is: a line needs its newline. */
  readonly text?: string;
  /** Keys by name: `enter`, `tab`, `up`, `ctrl-c`, … */
  readonly keys?: readonly string[];
  /** The end of its input, after everything else. */
  readonly end?: boolean;
}

/** Sends something to a job whose input was left open, whoever started it. */
export async function sendToJob(run: StoredRun, options: SendOptions): Promise<void> {
  const { text = '', keys = [], end = false } = options;
  const effects = keys.map(requireKey);
  if (text !== '') await sendToRun(run, text);
  for (const effect of effects) await apply(run, effect);
  if (end && !effects.some(({ kind }) => kind === 'end')) await endInputOfRun(run);
}

function requireKey(name: string, at: number): KeyEffect {
  const effect = toKeyEffect(name);
  if (effect !== null) return effect;
  throw badInput(`keys[${at}]`, `there is no key ${JSON.stringify(name)}; there are ${KEY_NAMES.join(', ')}`);
}

async function apply(run: StoredRun, effect: KeyEffect): Promise<void> {
  if (effect.kind === 'bytes') await sendToRun(run, effect.bytes);
  else if (effect.kind === 'signal') signalRun(run, effect.signal);
  else await endInputOfRun(run);
}
