import type { WaitingForInput } from '../result.ts';

/** What a model can do about a run that waits for input. */
export function renderWaitingForInput({ pid, command, lastLine, echoOff, canSend }: WaitingForInput): string {
  const asks = lastLine === '' ? '' : ` Its last line: ${JSON.stringify(lastLine)}.`;
  const hidden = echoOff ? ' What is typed is not shown: it asks for a secret.' : '';
  const remedy = canSend
    ? 'Answer with action "send" of the job tool (text, then the key enter; or the end of its input), or kill it.'
    : 'Nothing can be sent to it: kill it, and start it again with flags or a stdin that answer, or with stdin: {"open": true}.';
  return `Waiting for input: ${shorten(command)} (pid ${pid}).${asks}${hidden} ${remedy}`;
}

/** The program and its first words: the label of the job has the rest. */
function shorten(command: string): string {
  return command.length <= 60 ? command : `${command.slice(0, 60)}…`;
}
