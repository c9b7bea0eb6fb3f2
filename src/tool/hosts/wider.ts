import type { FieldSchema } from '../input/schema.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import { findHost } from './find-host.ts';

/** What a call in a sandbox asks for beyond it, and why. */
export interface WiderSandbox {
  readonly preset: 'workspace' | 'workspace+network';
  readonly reason: string;
}

/** Whether calls may ask for more than their host gives: only where that is a sandbox. */
export function canWiden({ host, hosts }: Pick<ResolvedOptions, 'host' | 'hosts'>): boolean {
  return typeof host === 'string' && findHost(host, hosts)?.type === 'sandbox';
}

/** What a person is asked. */
export function wideningQuestion({ preset, reason }: WiderSandbox): string {
  return `This command asks for more than its sandbox gives (${preset}): ${reason.replace(/\s+/g, ' ').trim()}`;
}

export const SANDBOX_FIELD: FieldSchema = {
  type: 'object',
  description:
    'Ask a person to let this one command have more than its sandbox gives; only when it failed for that reason',
  required: ['preset', 'reason'],
  additionalProperties: false,
  properties: {
    preset: {
      type: 'string',
      enum: ['workspace', 'workspace+network'],
      description: 'To write in the working directory, or to reach the network as well',
    },
    reason: { type: 'string', description: 'What it is needed for, in a sentence' },
  },
};
