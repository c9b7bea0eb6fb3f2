import { expect, test } from 'vitest';
import { command } from '../../../../src/surfaces/cli/commands/approvals.ts';
import { renderCommandHelp } from '../../../../src/surfaces/cli/render-help.ts';

test('the help of nacre approvals', () => {
  expect(renderCommandHelp(command)).toMatchInlineSnapshot(`
    "Usage: nacre approvals [<action>] [options] [<id>]

    List and answer pending approvals

    Actions:
      list        List the pending questions
      allow       Allow a command once
      always      Allow it now and again in this session
      project     Allow it now and again in this project
      everywhere  Allow it now and again everywhere
      deny        Refuse a command
      watch       Show questions as they arrive; on a terminal also answer them
      rules       List the stored rules
      forget      Delete a stored rule

    Options:
      --session <name>  Only questions of this session (default: all)
      --reason <text>   deny: a reason for the model
      --yes             always, project, everywhere: store the rule without confirmation
      --json            Print JSON; watch: one line per event
      -h, --help        Show this help

    An id may be shortened to a unique prefix.
    Exit status: 0, or 1 when the question does not exist or is already answered.

    Examples:
      nacre approvals watch
      nacre approvals allow 3f2a
      nacre approvals deny 3f2a --reason 'Use pnpm.'
    "
  `);
});
