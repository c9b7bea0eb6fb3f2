import { expect, test } from 'vitest';
import { renderCommandHelp } from '../../../../src/surfaces/cli/args/render-help.ts';
import { command } from '../../../../src/surfaces/cli/commands/approvals.ts';

test('the help of nacre approvals', () => {
  expect(renderCommandHelp(command)).toMatchInlineSnapshot(`
    "Usage: nacre approvals [list|allow|always|deny|watch|rules|forget] [options] [<id>]

    Answer what waits for your approval

    Actions:
      list    The questions that wait for an answer
      allow   Let a command run, this once
      always  Let it run, and the like of it from now on
      deny    Refuse it
      watch   Show questions as they come; on a terminal answer them, too
      rules   What was allowed for good
      forget  Take one of these back

    Options:
      --session <name>  Only questions of this session (default: all)
      --reason <text>   deny: what the model is told
      --json            Print JSON; watch: a line for each event
      --help            Show this help

    An id may be cut short, as long as only one begins so.
    Exit status: 0, or 1 when there is no such question (any more).

    Examples:
      nacre approvals watch
      nacre approvals allow 3f2a
      nacre approvals deny 3f2a --reason 'Use pnpm.'
    "
  `);
});
