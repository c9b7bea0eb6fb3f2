import { expect, test } from 'vitest';
import { command } from '../../../../src/surfaces/cli/commands/approvals.ts';
import { renderCommandHelp } from '../../../../src/surfaces/cli/render-help.ts';

test('the help of nacre approvals', () => {
  expect(renderCommandHelp(command)).toMatchInlineSnapshot(`
    "Usage: nacre approvals [<action>] [options] [<id>]

    Answer what waits for your approval

    Actions:
      list        The questions that wait for an answer
      allow       Let a command run, this once
      always      Let it run, and exactly these words again in this session
      project     The same in every session in this project
      everywhere  The same in every session
      deny        Refuse it
      watch       Show questions as they come; on a terminal answer them, too
      rules       The rules that always, project and everywhere stored
      forget      Delete one of these rules

    Options:
      --session <name>  Only questions of this session (default: all)
      --reason <text>   deny: what the model is told
      --yes             always, project, everywhere: store the rule without asking
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
