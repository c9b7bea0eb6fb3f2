import { toGroupedNumber } from '../../engine/text/size.ts';
import { badInput } from './check-input.ts';

/** What a profile takes as a command: not blank, and not longer than it says. */
export function checkCommand(command: string, maxLength: number): void {
  if (command.trim() === '') throw badInput('command', 'is empty; it takes the shell command to run');
  if (command.length <= maxLength) return;
  const [got, most] = [toGroupedNumber(command.length), toGroupedNumber(maxLength)];
  throw badInput(
    'command',
    `has ${got} characters and may have ${most}: write it to a file, then run the file`,
  );
}
