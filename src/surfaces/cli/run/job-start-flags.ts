import { type Condition, condition } from '../args/condition.ts';
import { choice, type Flag, type FlagValues, text, toggle, toOption, usageError } from '../args/flag.ts';

/** How `nacre run` starts something that goes on. */
export type JobStartFlags = {
  readonly async: Flag<boolean>;
  readonly service: Flag<string>;
  readonly ready: Flag<Condition>;
  readonly restart: Flag<string>;
  readonly openInput: Flag<boolean>;
  readonly pty: Flag<boolean>;
  readonly array: Flag<string>;
};

export const JOB_START_FLAGS: JobStartFlags = {
  async: toggle('Start it as a job and return at once'),
  service: text('<name>', 'Start it as a service of this name; return when it is ready'),
  ready: condition('service: ready when port:<n> answers, or a line matches log:<pattern>'),
  restart: choice(
    '<when>',
    ['never', 'on-failure', 'always'],
    'service: start it again: never, on-failure or always (default: never)',
  ),
  openInput: toggle('async, service: leave its input open, for nacre jobs send'),
  pty: toggle('async: give it a terminal, for nacre jobs peek and send'),
  array: text('<tasks>', 'on slurm: a job for each of these numbers, such as 0-15 or 0-31%4'),
};

const OF_SERVICES = ['ready', 'restart'] as const;

/** Refuses options that would be read and then have no effect. */
export function checkJobStart(flags: FlagValues<JobStartFlags>, profile: string): void {
  const names = Object.keys(JOB_START_FLAGS) as (keyof JobStartFlags)[];
  const given = names.find((name) => flags[name] !== undefined);
  if (profile !== 'agent' && given) throw usageError(`${toOption(given)} needs the profile agent.`);
  const lonely =
    flags.service === undefined ? OF_SERVICES.find((name) => flags[name] !== undefined) : undefined;
  if (lonely) throw usageError(`${toOption(lonely)} needs --service.`);
  if (flags.openInput && !startsJob(flags)) throw usageError('--open-input needs --async or --service.');
  if (flags.pty && !flags.async) throw usageError('--pty needs --async; /pty in the console shows one.');
  if (flags.pty && flags.openInput) throw usageError('--pty and --open-input cannot go together.');
}

export function startsJob({ async, service, array }: FlagValues<JobStartFlags>): boolean {
  return async === true || service !== undefined || array !== undefined;
}

/** The fields of a call that say so. */
export function toJobFields(flags: FlagValues<JobStartFlags>): Record<string, unknown> {
  const { async, service, ready, restart, openInput, pty, array } = flags;
  return {
    ...(async === undefined ? {} : { async }),
    ...(openInput ? { stdin: { open: true } } : {}),
    ...(pty ? { pty: true } : {}),
    ...(array === undefined ? {} : { array }),
    ...(service === undefined
      ? {}
      : {
          service: {
            name: service,
            ...(ready === undefined ? {} : { ready: toReady(ready) }),
            ...(restart === undefined ? {} : { restart }),
          },
        }),
  };
}

function toReady(what: Condition): { readonly log: string } | { readonly port: number } {
  return 'port' in what ? what : { log: what.pattern.source };
}
