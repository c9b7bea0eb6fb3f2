import { isatty } from 'node:tty';
import { type Answer, type Approvals, type LearnedRule, openApprovals } from '../../../index.ts';
import { resolveStateDirectory } from '../../config/settings.ts';
import { renderAge, renderTable, toOneLine } from '../../rendering/text-table.ts';
import {
  confirmRule,
  renderAlwaysRule,
  renderPendingApproval,
  renderScope,
  watchApprovals,
} from '../approval-prompt.ts';
import { type CliCommand, defineCommand } from '../command.ts';
import { type Flag, type FlagValues, rejectArguments, switchFlag, textFlag, usageError } from '../flags.ts';
import { print } from '../print.ts';

const VERBS = {
  list: 'List the pending questions',
  allow: 'Allow a command once',
  always: 'Allow it now and again in this session',
  project: 'Allow it now and again in this project',
  everywhere: 'Allow it now and again everywhere',
  deny: 'Refuse a command',
  watch: 'Show questions as they arrive; on a terminal also answer them',
  rules: 'List the stored rules',
  forget: 'Delete a stored rule',
} as const;

type Verb = keyof typeof VERBS;

type ApprovalFlags = {
  readonly session: Flag<string>;
  readonly reason: Flag<string>;
  readonly yes: Flag<boolean>;
  readonly json: Flag<boolean>;
};

const FLAGS: ApprovalFlags = {
  session: textFlag('<name>', 'Only questions of this session (default: all)'),
  reason: textFlag('<text>', 'deny: a reason for the model'),
  yes: switchFlag('always, project, everywhere: store the rule without confirmation'),
  json: switchFlag('Print JSON; watch: one line per event'),
};

export const command: CliCommand = defineCommand({
  usage: 'approvals [<action>] [options] [<id>]',
  summary: 'List and answer pending approvals',
  flags: FLAGS,
  verbs: VERBS,
  notes: [
    'An id may be shortened to a unique prefix.',
    'Exit status: 0, or 1 when the question does not exist or is already answered.',
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

interface ApprovalsRequest {
  readonly approvals: Approvals;
  readonly flags: FlagValues<ApprovalFlags>;
  readonly words: readonly string[];
  readonly verb: string;
}

const ACTIONS: Readonly<Record<Verb, (request: ApprovalsRequest) => number | Promise<number>>> = {
  list,
  allow: (request) => answer(request, 'once'),
  always: (request) => answer(request, 'always'),
  project: (request) => answer(request, 'project'),
  everywhere: (request) => answer(request, 'everywhere'),
  deny: (request) => answer(request, 'no'),
  watch: async (request) => {
    rejectArguments('approvals watch', request.words);
    return watchApprovals(request.approvals, request.flags.json === true);
  },
  rules,
  forget: (request) => {
    const forgotten = request.approvals.forget(requireQuestionId(request));
    printResult(request, { json: forgotten, text: `deleted ${forgotten.text}\n` });
    return 0;
  },
};

function list(request: ApprovalsRequest): number {
  rejectArguments('approvals list', request.words);
  const questions = request.approvals.list();
  const text = questions.length === 0 ? 'no pending approvals\n' : '';
  printResult(request, {
    json: questions,
    text: text + questions.map((each) => renderPendingApproval(each)).join('\n'),
  });
  return 0;
}

async function answer(request: ApprovalsRequest, given: Answer): Promise<number> {
  const { approvals, flags } = request;
  const options = flags.reason === undefined ? {} : { reason: flags.reason };
  const id = requireQuestionId(request);
  if (!(await isConfirmed(request, id, given))) return 1;
  const question = approvals.answer(id, given, options);
  const where = renderScope(given, question.project);
  const more = where === null ? '' : `, and again ${where}: ${renderAlwaysRule(question.always)}`;
  const verdict = given === 'no' ? 'denied' : 'allowed';
  const text = `${verdict}: ${toOneLine(question.command)}${more}\n`;
  printResult(request, { json: { ...question, answer: given, ...options }, text });
  return 0;
}

/** Whether the rule of a lasting answer was shown and confirmed. */
async function isConfirmed(
  { approvals, flags }: ApprovalsRequest,
  id: string,
  given: Answer,
): Promise<boolean> {
  const [question, other] = approvals.list().filter((each) => each.id.startsWith(id));
  const where = renderScope(given, question?.project ?? '');
  if (where === null || question === undefined || other !== undefined) return true;
  if (question.always.length === 0)
    throw usageError('No rule can describe this command exactly. Use allow or deny.');
  if (flags.yes === true) return true;
  if (!isatty(0) || !isatty(2))
    throw usageError(
      `This stores: allow ${renderAlwaysRule(question.always)} (${where}). Repeat the command with --yes to confirm.`,
    );
  return confirmRule(question, given, new AbortController().signal);
}

function rules(request: ApprovalsRequest): number {
  rejectArguments('approvals rules', request.words);
  const learned = request.approvals.rules();
  const rows = learned.map((rule) => [
    rule.id,
    renderAge(rule.learnedAt),
    rule.text,
    renderRuleScope(rule),
    toOneLine(rule.command),
  ]);
  const table = `${renderTable([['RULE', 'AGE', 'ALLOWS', 'WHERE', 'ASKED FOR'], ...rows])}\n`;
  printResult(request, { json: learned, text: learned.length === 0 ? 'no stored rules\n' : table });
  return 0;
}

function renderRuleScope({ scope, session, project }: LearnedRule): string {
  if (scope === 'everywhere') return 'everywhere';
  return toOneLine(scope === 'project' ? project : `session ${session}`);
}

function printResult(
  { flags }: ApprovalsRequest,
  { json, text }: { readonly json: unknown; readonly text: string },
): void {
  print(flags.json === true ? `${JSON.stringify(json)}\n` : text);
}

function requireQuestionId({ words, verb }: ApprovalsRequest): string {
  const [id, ...more] = words;
  if (id === undefined || more.length > 0) throw usageError(`approvals ${verb} takes one id.`);
  return id;
}
