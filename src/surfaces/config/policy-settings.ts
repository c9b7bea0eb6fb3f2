import { approvalRules, interceptorRules } from './rule-types.ts';
import type { ProjectRight, Setting } from './setting.ts';
import { flag, names, oneOf, wholeNumber } from './setting-type.ts';

const CHOOSES_REFUSALS: ProjectRight = { never: 'it decides which commands are refused' };

/** What is refused before it runs. */
export const POLICY_SETTINGS: Readonly<Record<string, Setting>> = {
  toolNames: {
    type: names,
    default: 'none',
    help: 'The other tools a model has: the interceptor sends commands only to these',
    project: 'may',
    option: 'toolNames',
  },
  'bashInterceptor.enabled': {
    type: flag,
    default: 'false',
    help: 'Whether a command that another tool does better is refused with its name',
    project: 'may',
    option: 'policy.interceptor.enabled',
  },
  'bashInterceptor.mode': {
    type: oneOf('block', 'warn'),
    default: 'block',
    help: 'Whether such a command is refused, or runs with a note',
    project: { only: ['block'] },
    option: 'policy.interceptor.mode',
  },
  'bashInterceptor.patterns': {
    type: interceptorRules,
    default: 'the built-in rules',
    help: 'Which commands these are',
    project: CHOOSES_REFUSALS,
    option: 'policy.interceptor.rules',
  },
  'policy.enabled': {
    type: flag,
    default: 'true; false in simple',
    help: 'Whether commands are judged before they run',
    project: { only: [true] },
    option: 'policy.enabled',
  },
  'policy.checks.no_blind_git_add': {
    type: flag,
    default: 'true',
    help: 'Refuse to add everything to git at once',
    project: { only: [true] },
    option: 'policy.checks.no_blind_git_add',
  },
  'policy.checks.no_force_push': {
    type: flag,
    default: 'true',
    help: 'Refuse to overwrite what others pushed',
    project: { only: [true] },
    option: 'policy.checks.no_force_push',
  },
  'policy.checks.no_dangerous_rm': {
    type: flag,
    default: 'true',
    help: 'Refuse to delete a repository, the home directory or everything',
    project: { only: [true] },
    option: 'policy.checks.no_dangerous_rm',
  },
  'policy.checks.no_system_directory_rm': {
    type: flag,
    default: 'false',
    help: 'Refuse to delete directories of the system',
    project: { only: [true] },
    option: 'policy.checks.no_system_directory_rm',
  },
  'policy.homeSubpaths': {
    type: oneOf('block', 'allow'),
    default: 'block',
    help: 'Whether deleting something below ~ counts as dangerous, or only ~ itself',
    project: { only: ['block'] },
    option: 'policy.homeSubpaths',
  },
  'policy.unreadable': {
    type: oneOf('refuse', 'allow'),
    default: 'refuse',
    help: 'What happens to a command that bash can read and the policy cannot',
    project: { only: ['refuse'] },
    option: 'policy.unreadable',
  },
  'policy.approvals.rules': {
    type: approvalRules,
    default: 'none',
    help: 'Which commands are allowed, asked about or denied; the first rule that matches decides',
    project: { never: 'it decides which commands may run' },
    option: 'policy.approvals.rules',
  },
  'policy.approvals.otherwise': {
    type: oneOf('allow', 'ask', 'deny'),
    default: 'allow',
    help: 'What happens to a command that no approval rule is about',
    project: { only: ['deny'] },
    option: 'policy.approvals.otherwise',
  },
  'policy.approvals.waitMs': {
    type: wholeNumber(0, 86_400_000),
    default: '300000',
    help: 'How long a question waits for its answer; no answer is no, and 0 asks nobody',
    project: 'may',
    option: 'policy.approvals.waitMs',
  },
};
