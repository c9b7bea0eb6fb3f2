import type { Collector } from './collector.ts';
import type { CallContext } from './context.ts';
import type { Plan } from './plan.ts';

export function createCollector(_plan: Plan, { profile }: CallContext): Collector {
  const text = { out: '', err: '', both: '' };
  return {
    write: (stream, chunk) => {
      text[stream] += chunk.toString();
      text.both += chunk.toString();
    },
    tail: () => text.both,
    finish: async () => ({
      output: {
        text: text.both,
        totalBytes: Buffer.byteLength(text.both),
        totalLines: text.both.split('\n').length - 1,
        shown: [],
        omitted: null,
      },
      truncation: null,
      apart: profile.streams === 'apart' ? { stdout: text.out, stderr: text.err } : null,
    }),
  };
}
