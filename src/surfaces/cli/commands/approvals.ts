import { type Answer, type Approvals, openApprovals } from '../../../index.ts';
import { oneLine, renderAge, renderTable } from '../../table/render-table.ts';
import { renderAlways, renderQuestion } from '../approvals/render-question.ts';
import { type Command, defineCommand } from '../args/command.ts';
import { type Flag, type FlagValues, text, toggle, usageError } from '../args/flag.ts';
import { print } from '../print.ts';
import { resolveStateDirectory } from '../state-directory.ts';

const VERBS = {
  list: 'The questions that wait for an answer',
  allow: 'Let a command run, this once',
  always: 'Let it run, and the like of it from now on',
  deny: 'Refuse it',
  watch: 'Show questions as they come; on a terminal answer them, too',
  rules: 'What was allowed for good',
  forget: 'Take one of these back',
} as const;

type Verb = keyof typeof VERBS;

type ApprovalFlags = {
  readonly session: Flag<string>;
  readonly reason: Flag<string>;
  readonly json: Flag<boolean>;
};

const FLAGS: ApprovalFlags = {
  session: text('<name>', 'Only questions of this session (default: all)'),
  reason: text('<text>', 'deny: what the model is told'),
  json: toggle('Print JSON; watch: a line for each event'),
};

export const command: Command = defineCommand({
  usage: 'approvals [list|allow|always|deny|watch|rules|forget] [options] [<id>]',
  summary: 'Answer what waits for your approval',
  flags: FLAGS,
  verbs: VERBS,
  notes: [
    'An id may be cut short, as long as only one begins so.',
    'Exit status: 0, or 1 when there is no such question (any more).',
  ],
  examples: [
    'nacre approvals watch',
    'nacre approvals allow 3f2a',
    "nacre approvals deny 3f2a --reason 'Use pnpm.'",
  ],
  act: async ({ flags, words }) => {
    const [verb = 'list', ...rest] = words;
    if (!Object.hasOwn(VERBS, verb))
      throw usageError(`approvals takes ${Object.keys(VERBS).join(', ')}, got ${JSON.stringify(verb)}.`);
    if (flags.reason !== undefined && verb !== 'deny')
      throw usageError('--reason is for nacre approvals deny.');
    const { session = null } = flags;
    const approvals = openApprovals({ stateDirectory: resolveStateDirectory(), session });
    return ACTIONS[verb as Verb]({ approvals, flags, words: rest, verb });
  },
});

interface Request {
  readonly approvals: Approvals;
  readonly flags: FlagValues<ApprovalFlags>;
  readonly words: readonly string[];
  readonly verb: string;
}

const ACTIONS: Readonly<Record<Verb, (request: Request) => number | Promise<number>>> = {
  list,
  allow: (request) => answer(request, 'once'),
  always: (request) => answer(request, 'always'),
  deny: (request) => answer(request, 'no'),
  watch: async (request) => {
    refuseWords(request);
    const { watchQuestions } = await import('../approvals/watch-questions.ts');
    return watchQuestions(request.approvals, request.flags.json === true);
  },
  rules,
  forget: (request) => {
    const forgotten = request.approvals.forget(requireId(request));
    show(request, { json: forgotten, text: `forgot ${renderAlways(forgotten)}\n` });
    return 0;
  },
};

function list(request: Request): number {
  refuseWords(request);
  const questions = request.approvals.list();
  const text = questions.length === 0 ? 'nothing waits for an approval\n' : '';
  show(request, { json: questions, text: text + questions.map((each) => renderQuestion(each)).join('\n') });
  return 0;
}

function answer(request: Request, given: Answer): number {
  const { approvals, flags } = request;
  const options = flags.reason === undefined ? {} : { reason: flags.reason };
  const question = approvals.answer(requireId(request), given, options);
  const learned = given === 'always' ? question.always.map(renderAlways).join(', ') : '';
  const more = learned === '' ? '' : `, and from now on: ${learned}`;
  const said = given === 'no' ? 'denied' : 'allowed';
  const text = `${said}: ${oneLine(question.command)}${more}\n`;
  show(request, { json: { ...question, answer: given, ...options }, text });
  return 0;
}

function rules(request: Request): number {
  refuseWords(request);
  const learned = request.approvals.rules();
  const rows = learned.map((rule) => [
    rule.id,
    renderAge(rule.learnedAt),
    renderAlways(rule),
    oneLine(rule.command),
  ]);
  const table = `${renderTable([['RULE', 'AGE', 'ALLOWS', 'ASKED FOR'], ...rows])}\n`;
  show(request, { json: learned, text: learned.length === 0 ? 'nothing was allowed for good\n' : table });
  return 0;
}

function show({ flags }: Request, { json, text }: { readonly json: unknown; readonly text: string }): void {
  print(flags.json === true ? `${JSON.stringify(json)}\n` : text);
}

function requireId({ words, verb }: Request): string {
  const [id, ...more] = words;
  if (id === undefined || more.length > 0) throw usageError(`approvals ${verb} takes one id.`);
  return id;
}

function refuseWords({ words: [word], verb }: Request): void {
  if (word !== undefined) throw usageError(`approvals ${verb} takes no words, got ${JSON.stringify(word)}.`);
}
