import { readProcText } from './proc-file.ts';

/** What the line of a process in `/proc/<pid>/stat` tells a watcher. */
export interface ProcessFacts {
  /** Device number of its controlling terminal; 0 when it has none. */
  readonly terminal: number;
  /** The group in the foreground of that terminal. */
  readonly foreground: number;
  /** Clock ticks it computed, those of children it has waited for included. */
  readonly cpuTicks: number;
  /** Clock ticks since the machine was started. */
  readonly startTime: number;
  readonly residentPages: number;
}

/** `null` when the process is gone, or waits for its parent to look. */
export function readProcessFacts(directory: string): ProcessFacts | null {
  const text = readProcText(`${directory}/stat`);
  if (text === null) return null;
  // The name stands in parentheses and may hold any character, parentheses included.
  const [state = 'X', ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return null;
  const numbers = fields.map(Number);
  const at = (index: number): number => numbers[index] ?? 0;
  return {
    terminal: at(3),
    foreground: at(4),
    cpuTicks: at(10) + at(11) + at(12) + at(13),
    startTime: at(18),
    residentPages: at(20),
  };
}
