import type { ProcessName, RunEnd } from '../../engine/hosts/host.ts';
import { namesMentionedIn } from '../../engine/shell/secrets.ts';
import type { Plan } from '../planning/plan.ts';
import type { Outcome } from './outcome.ts';
import { succeeded } from './outcome.ts';
import { differingStatuses } from './pipe-status.ts';
import type { Shown } from './shown.ts';

/** A run that is over, and what led there. */
export interface Ended {
  readonly plan: Plan;
  readonly run: { readonly id: string; readonly pid: number };
  readonly end: RunEnd;
  readonly outcome: Outcome;
  readonly shown: Shown;
  /** Whether it ran where numbers of this machine mean nothing. */
  readonly isElsewhere: boolean;
}

/** What is to be said beside the output: one short line each. */
export function endNotes(ended: Ended): readonly string[] {
  const { plan, end, outcome, shown } = ended;
  const statuses = differingStatuses(end.pipeStatus);
  const withheld = succeeded(outcome)
    ? []
    : namesMentionedIn(`${plan.request.command}\n${shown.output.text}`, plan.withheld);
  return [
    ...plan.notes,
    ...end.notes,
    ...(end.ending.kind === 'lost' ? [`How the command ended is not known: ${end.ending.why}.`] : []),
    ...(statuses === null ? [] : [`The stages of the last pipeline ended with ${statuses.join(', ')}.`]),
    ...(end.leftovers.length === 0 ? [] : [leftoverNote(ended)]),
    ...(end.survivors.length === 0 ? [] : [`Could not be ended: ${nameAll(end.survivors)}.`]),
    ...(withheld.length === 0 ? [] : [withheldNote(withheld)]),
  ];
}

function leftoverNote({ end: { leftovers }, run: { id, pid }, isElsewhere }: Ended): string {
  const stop = isElsewhere ? `nacre jobs kill ${id}` : `kill -9 ${reach(leftovers, pid)}`;
  const verb = leftovers.length === 1 ? 'is' : 'are';
  return `${nameAll(leftovers)} ${verb} still running as job ${id}; what is printed goes to artifact://${id}. To stop it: ${stop}`;
}

/** A group in one word, and by themselves those who left it. */
function reach(leftovers: readonly ProcessName[], group: number): string {
  const strayed = leftovers.filter(({ leftGroup }) => leftGroup === true).map(({ pid }) => pid);
  return [...(strayed.length < leftovers.length ? [-group] : []), ...strayed].join(' ');
}

function withheldNote(names: readonly string[]): string {
  const what = names.length === 1 ? 'it looks like a secret' : 'they look like secrets';
  return `Not passed to the command: ${names.join(', ')} (${what}; the user can grant this with secrets.grants).`;
}

const MOST_NAMED = 8;

function nameAll(processes: readonly ProcessName[]): string {
  const named = processes.slice(0, MOST_NAMED).map(({ pid, command }) => `${command} (pid ${pid})`);
  const more = processes.length - named.length;
  return more > 0 ? `${named.join(', ')} and ${more} more` : named.join(', ');
}
