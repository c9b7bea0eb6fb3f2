import type { Part } from '../state/machine.ts';
import { isOn } from '../unwrap/options.ts';
import type { Field } from '../words/atom.ts';
import { hasOverflow, renderField } from '../words/atom.ts';
import type { Danger } from './danger.ts';
import { dangerOf } from './danger.ts';
import type { Rule, RuleKit } from './rule.ts';

export const RM_OPTIONS = {
  long: [
    'force',
    'interactive=?',
    'one-file-system',
    'no-preserve-root',
    'preserve-root=?',
    'recursive',
    'dir',
    'verbose',
    'help',
    'version',
  ],
  permute: true,
} as const;

/** Recursive deletions of what nobody can bring back. */
export const dangerousRm: Rule = {
  id: 'no_dangerous_rm',
  commands: ['rm'],
  message:
    'permission denied: this rm command could delete critical data (.git, home directory, or root). Specify the full path explicitly (no wildcards, ~, or $HOME)',
  instead: 'name each file or directory to delete by its full path',
  check: (part, kit) => {
    const { options, operands } = kit.options(part, RM_OPTIONS);
    if (options.some(({ name }) => name === 'help' || name === 'version')) return null;
    const recursive = isOn(options, ['r', 'R', 'recursive']) !== undefined;
    for (const operand of operands) {
      const danger = operandDanger(operand, { part, kit, recursive });
      if (danger !== null) return `${renderField(operand)} is ${danger}`;
    }
    return null;
  },
  examples: {
    match: [
      'rm -rf /',
      'rm -rf ~',
      'rm -rf .git',
      'rm -rf *',
      'sudo rm -r --force "$HOME"',
      "bash -c 'cd / && rm -rf *'",
    ],
    noMatch: [
      'rm -rf node_modules',
      'rm -f .git/index.lock',
      "rm -rf '~'",
      "echo 'rm -rf /'",
      'rm -rf "$tmp"',
    ],
  },
};

interface Operand {
  readonly part: Part;
  readonly kit: RuleKit;
  readonly recursive: boolean;
}

function operandDanger(operand: Field, { part, kit, recursive }: Operand): Danger {
  // `find` hands over every file there is, so no recursion is needed.
  const deep = operand.some((atom) => atom.kind === 'glob' && atom.deep);
  if ((!recursive && !deep) || operand.length === 0) return null;
  if (hasOverflow(operand)) return 'one of more values than can be looked at';
  for (const path of kit.paths(operand, part)) {
    const danger = dangerOf(path, kit.surroundings);
    if (danger !== null) return danger;
  }
  return null;
}
