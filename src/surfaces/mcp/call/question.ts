import { acceptedContent, type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import type { Answer, OpenQuestion } from '../../../index.ts';

const KEY = 'approve';
const LASTING = ['always', 'project', 'everywhere'] as const;

/** The question as a form that the client shows to its person. */
export function toInputRequired(question: OpenQuestion, callId: string): InputRequiredResult {
  const answers = question.always.length === 0 ? ['once', 'no'] : ['once', ...LASTING, 'no'];
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
  if (answer === 'once') return answer;
  return LASTING.find((lasting) => lasting === answer) ?? 'no';
}

/** Shows exactly what a lasting answer stores: the form that is accepted with one confirms that. */
function renderQuestion({ command, cwd, reason, parts, always }: OpenQuestion): string {
  const asked =
    parts.length === 0 || parts.join() === command ? '' : `\n\nNot allowed yet: ${parts.join('; ')}`;
  const stored = always.map(({ text }) => text).join('; ');
  const lasting = stored === '' ? '' : `\n\nalways, project and everywhere store: allow exactly ${stored}`;
  return `May this command run in ${cwd}?\n\n${command}${asked}\n\n${reason}${lasting}`;
}

function renderAnswers({ always, project }: OpenQuestion): string {
  const lasting =
    always.length === 0
      ? ''
      : `always: also later in this session; project: also later in ${project}; everywhere: also later everywhere; `;
  return `once: run it; ${lasting}no: do not`;
}
