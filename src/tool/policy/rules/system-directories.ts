import { isOn } from '../unwrap/options.ts';
import { literalOf, renderField } from '../words/atom.ts';
import type { Path } from '../words/path.ts';
import { isBroad } from '../words/pattern.ts';
import { RM_OPTIONS } from './dangerous-rm.ts';
import type { Rule } from './rule.ts';

/** Nothing below these is anybody's to delete. */
const WHOLE = new Set(['bin', 'boot', 'dev', 'etc', 'lib', 'lib32', 'lib64', 'proc', 'sbin', 'sys', 'usr']);

/** These hold what people put there: only they themselves, and what lies directly below where it is not somebody's. */
const TOP = new Set([
  'home',
  'mnt',
  'media',
  'opt',
  'root',
  'run',
  'srv',
  'var',
  'Users',
  'Library',
  'System',
  'Applications',
]);

/** Below these a home or a system's own data starts. */
const SECOND = new Set(['home', 'Users', 'var']);

/** Directories that the system lives in. Off unless asked for. */
export const systemDirectories: Rule = {
  id: 'no_system_directory_rm',
  commands: ['rm'],
  message:
    'permission denied: this rm command would delete a system directory. Name the files you made, or ask the person in charge',
  instead: 'delete only what was made for this task',
  check: (part, kit) => {
    const { options, operands } = kit.options(part, RM_OPTIONS);
    if (isOn(options, ['r', 'R', 'recursive']) === undefined) return null;
    const system = operands.find((operand) => kit.paths(operand, part).some(isSystem));
    return system === undefined ? null : `${renderField(system)} belongs to the system`;
  },
  examples: {
    match: ['rm -rf /etc', 'rm -rf /usr/lib', 'sudo rm -r /var/lib', 'rm -rf /home/alice', 'rm -rf /opt/*'],
    noMatch: [
      'rm -rf /usr/local/app',
      'rm -rf /var/lib/apt/lists/*',
      'rm -rf /opt/app',
      'rm -rf /home/alice/project/dist',
      'rm -rf /tmp/x',
    ],
  },
};

function isSystem({ base, names }: Path): boolean {
  if (base !== 'root') return false;
  const [first, second] = names;
  const top = literalOf(first) ?? '';
  const below = second === undefined ? 0 : names.length - 1;
  if (WHOLE.has(top)) return !(top === 'usr' && literalOf(second) === 'local' && below > 1);
  if (!TOP.has(top)) return false;
  if (below === 0) return true;
  return below === 1 && second !== undefined && (SECOND.has(top) || isBroad(second));
}
