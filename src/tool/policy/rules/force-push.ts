import type { GitWords } from '../git/words.ts';
import { readGit } from '../git/words.ts';
import type { Part } from '../state/machine.ts';
import type { Options } from '../unwrap/options.ts';
import { isOn, parseOptions } from '../unwrap/options.ts';
import type { Field } from '../words/atom.ts';
import { hasOverflow, literalOf, renderField } from '../words/atom.ts';
import type { Rule } from './rule.ts';
import { spelled } from './rule.ts';

const PUSH_OPTIONS = {
  short: 'o',
  long: [
    ...[
      'verbose',
      'quiet',
      'repo=',
      'all',
      'branches',
      'mirror',
      'delete',
      'tags',
      'dry-run',
      'porcelain',
      'force',
    ],
    ...['force-with-lease=?', 'force-if-includes', 'recurse-submodules=', 'thin', 'receive-pack=', 'exec='],
    ...[
      'set-upstream',
      'progress',
      'prune',
      'verify',
      'follow-tags',
      'signed=?',
      'atomic',
      'push-option=',
      'ipv4',
      'ipv6',
    ],
  ],
  permute: true,
  negatable: true,
};

/** Pushes that overwrite what others may have pushed. */
export const forcePush: Rule = {
  id: 'no_force_push',
  commands: ['git'],
  message:
    'permission denied: git push --force is not allowed. Use --force-with-lease for safer force pushes, or push without force',
  instead: 'git push --force-with-lease, or git push',
  check: (part: Part) => {
    const read = readGit(part.argv);
    if (read?.verb !== 'push' && read?.verb !== 'send-pack') return null;
    const parsed = parseOptions(read.words, PUSH_OPTIONS);
    if (isOn(parsed.options, ['n', 'dry-run', 'help']) || parsed.options.some(({ name }) => name === 'h'))
      return null;
    return forcedByOption(parsed) ?? forcedByRefspec(parsed) ?? forcedByConfig(read);
  },
  examples: {
    match: [
      'git push --force',
      'git push -fu origin main',
      'git push origin +main',
      'git push --mirror',
      "git -c alias.p='push -f' p",
    ],
    noMatch: [
      'git push',
      'git push --force-with-lease',
      'git push -o ci.skip',
      'git fetch --force',
      "git commit -m 'git push -f'",
    ],
  },
};

function forcedByOption({ options, operands }: Options): string | null {
  const force = isOn(options, ['f', 'force']);
  if (force !== undefined) return spelled(force, '--force');
  const mirror = isOn(options, ['mirror']);
  if (mirror !== undefined) return `${renderField(mirror.word)} forces every ref`;
  return operands.some(hasOverflow) ? 'its words have more values than can be looked at' : null;
}

/** The first operand is the remote, unless `--repo` named it. */
function forcedByRefspec({ options, operands }: Options): string | null {
  const refspecs = options.some(({ name }) => name === 'repo') ? operands : operands.slice(1);
  const forced = refspecs.find(startsWithPlus);
  return forced === undefined ? null : `the + in ${renderField(forced)} forces that ref`;
}

function startsWithPlus([first]: Field): boolean {
  return first?.kind === 'text' && first.text.startsWith('+');
}

function forcedByConfig({ config }: GitWords): string | null {
  for (const { key, value } of config) {
    if (/^remote\..*\.push$/.test(key) && startsWithPlus(value)) return `${key} forces its ref`;
    if (/^remote\..*\.mirror$/.test(key) && /^(?:true|yes|on|1)$/i.test(literalOf(value) ?? ''))
      return `${key} forces every ref`;
  }
  return null;
}
