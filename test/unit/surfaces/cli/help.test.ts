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
      run         Run a command and exit with its status
      jobs        List, read, wait for, answer and stop background jobs
      artifacts   List, show, search and remove the full output of runs
      explain     Explain how a command is parsed and whether it may run
      approvals   List and answer pending approvals
      sessions    List, show and reset sessions
      log         Show the log of commands
      mcp         Serve the tool to agents over MCP
      rpc         Serve the tool to programs as JSON lines
      acp         Run commands from an editor over ACP
      console     Open an interactive console
      watch       Watch the commands of all agents and answer their approvals
      doctor      Check this machine and show the settings
      completion  Print a completion script for your shell

    Options:
      -h, --help     Show this help
      -V, --version  Show the version

    See nacre <command> --help for its options.

    Examples:
      nacre run 'npm test' --timeout 300
      nacre run 'make' --json | jq .run.status
    "
  `);
});

test('the help of nacre run', async () => {
  expect(await help('run')).toMatchInlineSnapshot(`
    "Usage: nacre run [options] [--] <command>

    Run a command and exit with its status

    Options:
      -C, --cwd <dir>         Start commands in this directory
      --timeout <seconds>     Time limit, 0 for none (default: 0; 300 with --view, --json)
      --grace <seconds>       Grace period between SIGTERM and SIGKILL (default: 2)
      -e, --env <name=value>  Set an environment variable; may be repeated
      --profile <name>        Use this contract: agent, modes or simple (default: agent)
      --mode <mode>           For the profile modes: default, slow or background
      --session <name>        Use this session and its shell state (default: cli, without state)
      --host <host>           Run commands there: sandbox, ssh:<destination>, or a host of the settings
      --view                  Print the result as a model sees it
      --json                  Print the whole result as one JSON object
      --head <lines>          Show only the first lines, with --view or --json
      --tail <lines>          Show only the last lines, with --view or --json
      --raw                   Do not condense output that does not fit, with --view or --json
      --output-max-bytes <n>  Show at most this much output, such as 10KiB, with --view or --json
      --async                 Start a job and return at once
      --service <name>        Start a service with this name and return when it is ready
      --ready <what>          service: ready when port:<n> is open or a line matches log:<pattern>
      --restart <when>        service: restart it never, on-failure or always (default: never)
      --open-input            async, service: keep stdin open for nacre jobs send
      --pty                   async: run on a terminal, for nacre jobs peek and send
      --array <tasks>         slurm: one job per task number, such as 0-15 or 0-31%4
      -h, --help              Show this help

    One argument is a bash command line. Several arguments are quoted as needed and joined.
    Output is forwarded live, piped stdin is passed on, notes go to stderr. --async prints the job id.
    Exit status: the command's own; 128+n by signal, 124 timed out, 126 refused, 130 interrupted,
    141 output closed, 125 nacre failed, 2 bad usage.

    Examples:
      nacre run 'make' --json | jq .run.status
    "
  `);
});

test('the help of nacre jobs', async () => {
  expect(await help('jobs')).toMatchInlineSnapshot(`
    "Usage: nacre jobs [list|peek|tail|wait|send|kill|prune] [options] [<id>...] [<line>]

    List, read, wait for, answer and stop background jobs

    Actions:
      list   List running jobs, newest first; nacre jobs alone opens a live list on a terminal
      peek   Show the last lines of a job
      tail   Print the end of the raw output; with -f also new output
      wait   Wait until a job ends, prints a line or opens a port
      send   Send a line, keys or the end of input to a job
      kill   Send a signal to one job or several
      prune  Delete ended jobs and their output

    Options:
      --session <name>     Only jobs of this session (default: all)
      --all                list: also ended jobs (default: only running jobs)
      --running            live list: only running jobs (default: also ended jobs)
      --lines <n>          peek, tail: number of lines (default: 50, tail 20)
      -f, --follow         tail: follow until the job ends
      --for <what>         wait: until a line matches or port:<n> is open (default: until the jobs end)
      --timeout <seconds>  wait: time limit (default: none)
      --key <key>          send: a key after the line, such as ctrl-c; may be repeated
      --signal <signal>    kill: send exactly this signal (default: TERM)
      --escalate           kill: SIGTERM, then SIGKILL after the grace period
      --grace <seconds>    kill: grace period of --escalate (default: 2)
      --older-than <days>  prune: only jobs that ended at least <days> ago (default: 0)
      --json               Print JSON
      -h, --help           Show this help

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
      list    List runs with output, newest first
      show    Print the output unchanged, or a part of it as text; <id>/err is a separate stderr
      search  Print the lines that contain a text
      path    Print the paths of the output files
      rm      Delete runs and their output
      sweep   Delete runs beyond the age and size limits

    Options:
      --session <name>     Only runs of this session (default: all)
      --last <n>           list: show the newest <n> runs (default: 20)
      --lines <from>-<to>  show: only these lines
      --bytes <from>-<to>  show: only these raw bytes, counted from 1
      --head <lines>       show: only the first lines
      --tail <lines>       show: only the last lines
      --regex              search: the text is a regular expression
      --context <lines>    search: lines of context around each match
      --limit <n>          search: stop after <n> matches (default: 100)
      --json               Print JSON
      -h, --help           Show this help

    nacre artifacts <id> is short for nacre artifacts show <id>.

    Examples:
      nacre artifacts <id> --tail 100
      nacre artifacts search <id> error --context 2
    "
  `);
});

test('the help of nacre log', async () => {
  expect(await help('log')).toMatchInlineSnapshot(`
    "Usage: nacre log [options]

    Show the log of commands

    Options:
      --last <n>        Show the newest <n> commands (default: 20)
      --session <name>  Only commands of this session (default: all)
      --grep <text>     Only commands that contain this text
      --failed          Only commands that failed
      --refused         Only commands that were not run
      --json            Print a JSON array
      -h, --help        Show this help

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

    Check this machine and show the settings

    Options:
      --all       Show all settings (default: only those that are set)
      --json      Print the report as one JSON object, with all settings
      -h, --help  Show this help

    Exit status: 0 when commands can run, otherwise 1.

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
      -h, --help  Show this help

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
      -C, --cwd <dir>         Start commands in this directory
      --profile <name>        Use this contract: agent, modes or simple (default: agent)
      --session <name>        Let artifacts and jobs belong to this session (default: a new one)
      --host <host>           Run commands there: sandbox, ssh:<destination>, or a host of the settings
      --output-max-bytes <n>  Show at most this much output, such as 10KiB (default: 50KiB)
      --call-limit <seconds>  Tool timeout of the client, 0 for none (default: by its name)
      --http                  Serve over HTTP, with a bearer token, instead of stdin and stdout
      --port <number>         With --http: port to listen on, 0 for any free port (default: 3917)
      --address <address>     With --http: address to listen on (default: 127.0.0.1)
      --token-file <file>     With --http: file of the token (default: mcp-token in the state directory)
      -h, --help              Show this help

    Serves MCP on stdin and stdout until stdin ends. Jobs keep running.
    A long call becomes a job shortly before the client would time out.

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
      -C, --cwd <dir>   Start commands in this directory
      --profile <name>  Use this contract: agent, modes or simple (default: agent)
      --session <name>  Let artifacts and jobs belong to this session (default: a new one)
      --host <host>     Run commands there: sandbox, ssh:<destination>, or a host of the settings
      -h, --help        Show this help

    Reads one JSON request per line and writes one JSON response per request.
    Exits when stdin ends and all requests are answered. Jobs keep running.

    Examples:
      echo '{"type":"bash","command":"npm test"}' | nacre rpc
      echo '{"type":"hello"}' | nacre rpc --profile modes
    "
  `);
});
