import { isElsewhere } from '../hosts/is-elsewhere.ts';
import type { ResolvedOptions } from '../options/resolved-options.ts';
import { keepsState } from '../sessions/open-session-shell.ts';
import { renderDuration } from './duration.ts';
import { placeDescription } from './place-description.ts';

/** What the model reads about the tool: the limits in force, and only what is switched on. */
export function agentDescription(options: ResolvedOptions): string {
  return paragraphs(options)
    .filter((paragraph) => paragraph !== null)
    .join('\n\n');
}

function paragraphs(options: ResolvedOptions): readonly (string | null)[] {
  const { timeoutMs, maxTimeoutMs, async, secrets, urls } = options;
  const stdin = async.enabled
    ? 'There is no terminal, and standard input is empty unless you give `stdin`: answer prompts with flags, with text, or, with `stdin: {"open": true}`, by what you send with the job tool.'
    : 'There is no terminal, and standard input is empty unless you give `stdin`: answer prompts with flags.';
  const seesFiles = !isElsewhere(options);
  const limit = renderDuration(Math.min(timeoutMs, maxTimeoutMs));
  return [
    'Runs a command in bash and returns what it printed, stdout and stderr together.',
    placeDescription(options),
    shell(options),
    stdin,
    `A command is ended after ${limit}. \`timeout\` sets another limit, in seconds, up to ${maxTimeoutMs / 1_000}; 0 means none. What it printed until then is returned.`,
    'Up to 50 KiB of output is shown. Of more you see the beginning, the end and the lines that tell what failed, with a notice of what is left out; without a notice you see everything, so there is no need for `| head` or `| tail`. All of it stays readable as artifact://<id>' +
      (seesFiles ? ', also as a path in a command.' : '.'),
    'What a command leaves running with `&` goes on after the call and is named in the result.',
    async.enabled ? waiting(options) : null,
    async.enabled ? jobs(options) : null,
    secrets.withhold ? 'Environment variables that look like secrets are not passed to commands.' : null,
    seesFiles ? folders(Object.keys(urls.skills)) : null,
  ];
}

function shell(options: ResolvedOptions): string {
  const { cwd } = options;
  if (!keepsState(options))
    return `Commands start in ${cwd}; set \`cwd\` for another directory. Each call has a shell of its own: changes of directory, variables and functions do not carry over to the next call.`;
  return `The first command starts in ${cwd}. What a command changes in its shell is there in the next call: directory, variables, functions, aliases and options (but not \`set -e\`, \`-u\` and \`-x\`, traps and limits); \`cwd\` and \`env\` are for one call only. When a change could not be kept, the result says so.`;
}

function waiting({ async: { autoBackground } }: ResolvedOptions): string {
  const after = autoBackground.enabled
    ? `A call waits ${renderDuration(autoBackground.afterMs)} for its command, or as long as \`wait\` says.`
    : 'A call waits for the end of its command, unless `wait` says for how long.';
  return `${after} A wait that ends is not a kill: the command goes on as a job, and you get its id and what it printed so far. A command whose limit is not longer than the wait is ended at its limit instead.`;
}

function jobs({ jobTimeoutMs }: ResolvedOptions): string {
  return `\`async: true\` starts a job and returns at once with its id, its output file and how to stop it; \`service\` starts one with a name and returns when it is ready, for servers. The job tool lists, reads, waits for, answers and ends jobs; do not poll with sleep. A job is ended after ${renderDuration(jobTimeoutMs)} unless \`timeout\` says otherwise.`;
}

function folders(skills: readonly string[]): string {
  const own =
    'local://<path> is a path in a folder of this session, for files that are not part of the project.';
  return skills.length === 0
    ? own
    : `${own} skill://<name>/<path> is a path in a skill: ${skills.join(', ')}.`;
}
