import { isatty } from 'node:tty';
import type { Approver } from '../../../index.ts';
import { complain } from '../print.ts';

/** On a terminal the person is asked; everywhere else it is said where the answer can be given. */
export const approveOnTerminal: Approver = async (question, signal) => {
  if (isatty(0) && isatty(2)) {
    const { askPerson } = await import('../approvals/ask-person.ts');
    return askPerson(question, signal);
  }
  const seconds = Math.round((question.expiresAt - question.askedAt) / 1000);
  complain(`waiting up to ${seconds} s for an approval: nacre approvals allow ${question.id}`);
  return undefined;
};
