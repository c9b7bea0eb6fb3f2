import type { Always } from '../judge/verdict.ts';
import type { Part } from '../state/machine.ts';
import { HANDLERS } from '../unwrap/handlers.ts';
import { literalOf } from '../words/atom.ts';

/** The words of a command; `null` for one that is not known. */
type Words = readonly (string | null)[];

/** Programs whose first words say what they do: `git log`, `npm run build`. */
const VERBS: ReadonlySet<string> = new Set(
  'git npm pnpm yarn bun cargo go docker podman kubectl gh pip pip3 uv poetry deno dotnet mvn gradle apt apt-get brew systemctl terraform make just'.split(
    ' ',
  ),
);

/** Verbs that take another word: `npm run build` must not allow `npm run deploy`. */
const DEEPER: ReadonlySet<string> = new Set([
  'npm run',
  'pnpm run',
  'yarn run',
  'bun run',
  'npm exec',
  'docker compose',
  'gh pr',
  'gh issue',
  'gh repo',
  'gh run',
  'git stash',
  'git remote',
  'git submodule',
  'git worktree',
  'go mod',
  'uv run',
  'uv pip',
  'deno task',
  'dotnet tool',
]);

/** Programs that do whatever their words say: only the very same words may be allowed. */
const EXACT = new Set([
  'rm',
  'rmdir',
  'mv',
  'cp',
  'dd',
  'chmod',
  'chown',
  'kill',
  'killall',
  'pkill',
  'curl',
  'wget',
  'ssh',
  'scp',
  'rsync',
  'tee',
]);

/**
 * The narrowest prefix that is still of use the next time, or `null` where none is
 * narrow enough: a shell, a wrapper, a word nobody knows.
 */
export function alwaysRule({ argv, name, writes }: Part): Always | null {
  const words = argv.map(literalOf);
  const [program] = words;
  if (program === null || program === undefined || name === null || writes.length > 0) return null;
  if (EXACT.has(name)) return words.every((word) => word !== null) ? { prefix: words, exact: true } : null;
  if (VERBS.has(name)) return toRule(withVerbs(words));
  if (isRunner(name)) return null;
  if (/^(?:node|python3?|ruby|perl|deno|bun|php)$/.test(name)) return toRule(scriptPrefix(words));
  return { prefix: [program] };
}

function toRule(prefix: readonly string[] | null): Always | null {
  return prefix === null ? null : { prefix };
}

function isRunner(name: string): boolean {
  return (
    HANDLERS.has(name) &&
    !/^(?:cd|pushd|popd|export|declare|local|set|unset|read|printf|node|python3?|ruby|perl|php)$/.test(name)
  );
}

/** `git log`, `npm run build`: options before the verb make it somebody else's command. */
function withVerbs(words: Words): readonly string[] | null {
  const [program, verb, next] = words;
  if (program == null || verb == null || verb.startsWith('-')) return null;
  if (!DEEPER.has(`${program} ${verb}`)) return [program, verb];
  return next == null || next.startsWith('-') ? null : [program, verb, next];
}

/** `node build.js`: the script says what runs; code in an option could be anything. */
function scriptPrefix(words: Words): readonly string[] | null {
  const [program, script] = words;
  return program == null || script == null || script.startsWith('-') ? null : [program, script];
}
