import { expect, test } from 'vitest';
import { COMMANDS } from '../../../../src/surfaces/cli/dispatch.ts';
import { renderCommandHelp, renderMainHelp } from '../../../../src/surfaces/cli/render-help.ts';

const help = async (name: string): Promise<string> => {
  const entry = COMMANDS.find((command) => command.name === name);
  return entry === undefined ? '' : renderCommandHelp((await entry.load()).command);
};

test('the help of the program', () => {
  expect(renderMainHelp(COMMANDS.map(({ name, summary }) => [name, summary]))).toMatchInlineSnapshot(`
    "Usage: nacre <command> [options]

    Run shell commands for a language model

    Commands:
      run         Run one command and exit as it did
      jobs        Show jobs, live on a terminal; read, wait for, answer and end them
      artifacts   List, show, search and remove the full output of runs
      explain     Say how a command is read and whether it may run
      approvals   Answer what waits for your approval
      sessions    List sessions, look at one, or give it a new shell
      log         Show which commands were run
      mcp         Serve the tool to agents over MCP
      rpc         Serve the tool to programs as JSON lines
      acp         Run what you type in your editor, over ACP
      console     Work at a prompt, as a person and as an agent
      watch       See live what agents run on this machine, and answer them
      doctor      Say what works on this machine
      completion  Print a completion script for your shell

    Options:
      --help     Show this help
      --version  Show the version

    nacre <command> --help says more

    Examples:
      nacre run 'npm test' --timeout 300
      nacre run 'make' --json | jq .run.status
    "
  `);
});

test('the help of nacre run', async () => {
  expect(await help('run')).toMatchInlineSnapshot(`
    "Usage: nacre run [options] [--] <command>

    Run one command and exit as it did

    Options:
      --cwd <dir>          Start commands in this directory
      --timeout <seconds>  Stop it after this long, 0 for never (default: 0; 300 with --view, --json)
      --grace <seconds>    Wait this long between TERM and KILL (default: 2)
      --env <name=value>   Set a variable; may be given several times
      --profile <name>     Use this contract: agent, modes or simple (default: agent)
      --mode <mode>        For the profile modes: default, slow or background
      --session <name>     Belong to this session and keep its shell state (default: cli, without state)
      --host <host>        Run commands there: sandbox, ssh:<destination>, or a host of the settings
      --view               Print what a model would see
      --json               Print the whole result as one JSON object
      --head <lines>       Show only the first lines, with --view or --json
      --tail <lines>       Show only the last lines, with --view or --json
      --raw                Leave no dull lines out of what does not fit, with --view or --json
      --async              Start it as a job and return at once
      --service <name>     Start it as a service of this name; return when it is ready
      --ready <what>       service: ready when port:<n> answers, or a line matches log:<pattern>
      --restart <when>     service: start it again: never, on-failure or always (default: never)
      --open-input         async, service: leave its input open, for nacre jobs send
      --pty                async: give it a terminal, for nacre jobs peek and send
      --array <tasks>      on slurm: a job for each of these numbers, such as 0-15 or 0-31%4
      --help               Show this help

    One argument is a command as you would type it in bash; several are its words, quoted as needed.
    Output passes through as it comes, piped input is passed on, notes go to stderr.
    Exit status: the command's own; 128+n by signal, 124 timed out, 126 refused, 130 interrupted,
    141 nobody reads the output, 125 nacre itself failed, 2 bad usage.

    Examples:
      nacre run 'npm test' --timeout 300
      nacre run 'make' --json | jq .run.status
    "
  `);
});

test('the help of nacre jobs', async () => {
  expect(await help('jobs')).toMatchInlineSnapshot(`
    "Usage: nacre jobs [list|peek|tail|wait|send|kill|prune] [options] [<id>] [<line>]

    Show jobs, live on a terminal; read, wait for, answer and end them

    Actions:
      list   All jobs, newest first; on a terminal nacre jobs alone shows them live
      peek   Show the last lines of a job
      tail   Print the end of its output as it was; with -f what comes, too
      wait   Wait until a job ends, prints something, or a port answers
      send   Send a line, keys or the end of input to a job
      kill   Send a signal to a job
      prune  Forget jobs that are over, and their output

    Options:
      --session <name>     Only jobs of this session (default: all)
      --running            list: only jobs that still run
      --lines <n>          peek, tail: so many of the last lines (default: 50, tail 20)
      --follow             tail: go on until the job ends; -f is the same
      --for <what>         wait: until a line matches, or port:<n> answers (default: until they end)
      --timeout <seconds>  wait: at most this long (default: no limit)
      --key <key>          send: a key after the line, such as ctrl-c; may be repeated
      --signal <signal>    kill: send exactly this signal (default: TERM)
      --escalate           kill: end it for certain: TERM, then KILL
      --grace <seconds>    kill: wait this long between the two (default: 2)
      --older-than <days>  prune: only what ended so many days ago (default: 0)
      --json               Print JSON
      --help               Show this help

    Examples:
      nacre jobs wait <id> --for port:5173 --timeout 60
    "
  `);
});

test('the help of nacre artifacts', async () => {
  expect(await help('artifacts')).toMatchInlineSnapshot(`
    "Usage: nacre artifacts [list|show|search|path|rm|sweep] [options] [<id>]

    List, show, search and remove the full output of runs

    Actions:
      list    Runs with output, newest first
      show    Print an output as it was, or a part of it as text; <id>/err is stderr kept apart
      search  Print the lines that contain a text
      path    Print the files that hold an output
      rm      Forget runs and their output
      sweep   Forget what is too old or too much

    Options:
      --session <name>     Only runs of this session (default: all)
      --last <n>           list: only the newest so many (default: 20)
      --lines <from>-<to>  show: only these lines
      --bytes <from>-<to>  show: only these bytes, as they are, counted from 1
      --head <lines>       show: only the first lines
      --tail <lines>       show: only the last lines
      --regex              search: the text is a regular expression
      --context <lines>    search: show so many lines around each
      --limit <n>          search: stop after so many lines (default: 100)
      --json               Print JSON
      --help               Show this help

    Examples:
      nacre artifacts show <id> --tail 100
      nacre artifacts search <id> error --context 2
    "
  `);
});

test('the help of nacre log', async () => {
  expect(await help('log')).toMatchInlineSnapshot(`
    "Usage: nacre log [options]

    Show which commands were run

    Options:
      --last <n>        Only the newest so many (default: 20)
      --session <name>  Only commands of this session (default: all)
      --grep <text>     Only commands that contain this text
      --failed          Only commands that did not end with 0
      --refused         Only commands that were not run
      --json            Print a JSON array
      --help            Show this help

    Examples:
      nacre log --last 50
      nacre log --failed --grep npm
      nacre log --json | jq '.[].command'
    "
  `);
});

test('the help of nacre doctor', async () => {
  expect(await help('doctor')).toMatchInlineSnapshot(`
    "Usage: nacre doctor [options]

    Say what works on this machine

    Options:
      --json  Print the report as one JSON object
      --help  Show this help

    Exit status: 0 when commands can be run here, 1 when not.

    Examples:
      nacre doctor
      nacre doctor --json | jq '.settings[] | select(.sources != [])'
    "
  `);
});

test('the help of nacre completion', async () => {
  expect(await help('completion')).toMatchInlineSnapshot(`
    "Usage: nacre completion <bash|zsh|fish>

    Print a completion script for your shell

    Actions:
      bash  For bash
      zsh   For zsh
      fish  For fish

    Options:
      --help  Show this help

    Examples:
      eval "$(nacre completion bash)"
      nacre completion zsh > "\${fpath[1]}/_nacre"
      nacre completion fish | source
    "
  `);
});

test.each(COMMANDS)(
  '$name is summed up the same way everywhere, in a screen of 35 lines of 100 columns',
  async (entry) => {
    const { command } = await entry.load();
    expect(command.summary).toBe(entry.summary);
    expect(command.usage.split(' ')[0]).toBe(entry.name);
    const lines = renderCommandHelp(command).split('\n');
    expect(lines.length).toBeLessThan(37);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  },
);

test('the help of nacre mcp', async () => {
  expect(await help('mcp')).toMatchInlineSnapshot(`
    "Usage: nacre mcp [options]

    Serve the tool to agents over MCP

    Options:
      --cwd <dir>             Start commands in this directory
      --profile <name>        Use this contract: agent, modes or simple (default: agent)
      --session <name>        Let artifacts and jobs belong to this session (default: a new one)
      --host <host>           Run commands there: sandbox, ssh:<destination>, or a host of the settings
      --call-limit <seconds>  How long the client waits for a tool, 0 for ever (default: by its name)
      --http                  Serve over HTTP, with a bearer token, instead of stdin and stdout
      --port <number>         With --http: listen on this port, 0 for any (default: 3917)
      --address <address>     With --http: listen on this address (default: 127.0.0.1)
      --token-file <file>     With --http: keep the token here (default: mcp-token beside the runs)
      --help                  Show this help

    Speaks MCP on stdin and stdout, and ends when stdin ends; jobs go on.
    A call goes on as a job shortly before the client would give up.

    Examples:
      claude mcp add nacre -- npx -y nacre mcp
      claude mcp add nacre -- npx -y nacre mcp --host sandbox
      codex mcp add nacre -- npx -y nacre mcp
      nacre mcp --http --port 3917
    "
  `);
});

test('the help of nacre rpc', async () => {
  expect(await help('rpc')).toMatchInlineSnapshot(`
    "Usage: nacre rpc [options]

    Serve the tool to programs as JSON lines

    Options:
      --cwd <dir>       Start commands in this directory
      --profile <name>  Use this contract: agent, modes or simple (default: agent)
      --session <name>  Let artifacts and jobs belong to this session (default: a new one)
      --host <host>     Run commands there: sandbox, ssh:<destination>, or a host of the settings
      --help            Show this help

    Reads one JSON object a line and writes one a line; every request gets one response.
    Ends when stdin ends and what was asked for is answered; jobs go on.

    Examples:
      echo '{"type":"bash","command":"npm test"}' | nacre rpc
      echo '{"type":"hello"}' | nacre rpc --profile modes
    "
  `);
});
