import { isatty } from 'node:tty';
import { type Answer, type Approvals, type LearnedRule, openApprovals } from '../../../index.ts';
import { oneLine, renderAge, renderTable } from '../../table/render-table.ts';
import { renderAlways, renderQuestion, renderScope } from '../approvals/render-question.ts';
import { type Command, defineCommand } from '../args/command.ts';
import { type Flag, type FlagValues, text, toggle, usageError } from '../args/flag.ts';
import { print } from '../print.ts';
import { resolveStateDirectory } from '../state-directory.ts';

const VERBS = {
  list: 'The questions that wait for an answer',
  allow: 'Let a command run, this once',
  always: 'Let it run, and exactly these words again in this session',
  project: 'The same in every session in this project',
  everywhere: 'The same in every session',
  deny: 'Refuse it',
  watch: 'Show questions as they come; on a terminal answer them, too',
  rules: 'The rules that always, project and everywhere stored',
  forget: 'Delete one of these rules',
} as const;

type Verb = keyof typeof VERBS;

type ApprovalFlags = {
  readonly session: Flag<string>;
  readonly reason: Flag<string>;
  readonly yes: Flag<boolean>;
  readonly json: Flag<boolean>;
};

const FLAGS: ApprovalFlags = {
  session: text('<name>', 'Only questions of this session (default: all)'),
  reason: text('<text>', 'deny: what the model is told'),
  yes: toggle('always, project, everywhere: store the rule without asking'),
  json: toggle('Print JSON; watch: a line for each event'),
};

export const command: Command = defineCommand({
  usage: 'approvals [<action>] [options] [<id>]',
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
    if (flags.yes !== undefined && !/^(?:always|project|everywhere)$/.test(verb))
      throw usageError('--yes is for nacre approvals always, project and everywhere.');
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
  project: (request) => answer(request, 'project'),
  everywhere: (request) => answer(request, 'everywhere'),
  deny: (request) => answer(request, 'no'),
  watch: async (request) => {
    refuseWords(request);
    const { watchQuestions } = await import('../approvals/watch-questions.ts');
    return watchQuestions(request.approvals, request.flags.json === true);
  },
  rules,
  forget: (request) => {
    const forgotten = request.approvals.forget(requireId(request));
    show(request, { json: forgotten, text: `forgot ${forgotten.text}\n` });
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

async function answer(request: Request, given: Answer): Promise<number> {
  const { approvals, flags } = request;
  const options = flags.reason === undefined ? {} : { reason: flags.reason };
  const id = requireId(request);
  if (!(await isConfirmed(request, id, given))) return 1;
  const question = approvals.answer(id, given, options);
  const where = renderScope(given, question.project);
  const more = where === null ? '' : `, and again ${where}: ${renderAlways(question.always)}`;
  const said = given === 'no' ? 'denied' : 'allowed';
  const text = `${said}: ${oneLine(question.command)}${more}\n`;
  show(request, { json: { ...question, answer: given, ...options }, text });
  return 0;
}

/** Whether the rule that a lasting answer stores was shown and confirmed. */
async function isConfirmed({ approvals, flags }: Request, id: string, given: Answer): Promise<boolean> {
  const [question, other] = approvals.list().filter((each) => each.id.startsWith(id));
  const where = renderScope(given, question?.project ?? '');
  if (where === null || question === undefined || other !== undefined) return true;
  if (question.always.length === 0)
    throw usageError('The words of this command do not say everything that runs. Use allow or deny.');
  if (flags.yes === true) return true;
  if (!isatty(0) || !isatty(2))
    throw usageError(
      `This stores: allow ${renderAlways(question.always)} (${where}). Repeat it with --yes to confirm.`,
    );
  const { confirmRule } = await import('../approvals/ask-person.ts');
  return confirmRule(question, given, new AbortController().signal);
}

function rules(request: Request): number {
  refuseWords(request);
  const learned = request.approvals.rules();
  const rows = learned.map((rule) => [
    rule.id,
    renderAge(rule.learnedAt),
    rule.text,
    placeOf(rule),
    oneLine(rule.command),
  ]);
  const table = `${renderTable([['RULE', 'AGE', 'ALLOWS', 'WHERE', 'ASKED FOR'], ...rows])}\n`;
  show(request, { json: learned, text: learned.length === 0 ? 'no rules were stored\n' : table });
  return 0;
}

function placeOf({ scope, session, project }: LearnedRule): string {
  if (scope === 'everywhere') return 'everywhere';
  return oneLine(scope === 'project' ? project : `session ${session}`);
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
