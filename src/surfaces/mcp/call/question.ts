import { acceptedContent, type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import type { Answer, OpenQuestion } from '../../../index.ts';

const KEY = 'approve';

/** The question as a form that the client shows to its person. */
export function toInputRequired(question: OpenQuestion, callId: string): InputRequiredResult {
  const answers = question.always.length === 0 ? ['once', 'no'] : ['once', 'always', 'no'];
  return inputRequired({
    requestState: callId,
    inputRequests: {
      [KEY]: inputRequired.elicit({
        message: renderQuestion(question),
        requestedSchema: {
          type: 'object',
          required: ['answer'],
          properties: {
            answer: {
              type: 'string',
              title: 'Run it?',
              description: renderAnswers(question),
              enum: answers,
            },
          },
        },
      }),
    },
  });
}

/** Whatever is not clearly a yes is no. */
export function readAnswer(responses: Record<string, unknown> | undefined): Answer {
  const answer = acceptedContent(responses, KEY)?.answer;
  return answer === 'once' || answer === 'always' ? answer : 'no';
}

function renderQuestion({ command, cwd, reason, parts }: OpenQuestion): string {
  const asked =
    parts.length === 0 || parts.join() === command ? '' : `\n\nNot allowed yet: ${parts.join('; ')}`;
  return `May this command run in ${cwd}?\n\n${command}${asked}\n\n${reason}`;
}

function renderAnswers({ always }: OpenQuestion): string {
  const lasting = always.map(({ prefix }) => `"${prefix.join(' ')}"`).join(', ');
  return lasting === ''
    ? 'once: run it; no: do not'
    : `once: run it; always: also later, for ${lasting}; no: do not`;
}
