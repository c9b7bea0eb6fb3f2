import type { CommandEntry } from './args/command.ts';

/** Loading one command loads nothing of the others. */
export const COMMANDS: readonly CommandEntry[] = [
  { name: 'run', summary: 'Run one command and exit as it did', load: () => import('./run/run.ts') },
  {
    name: 'jobs',
    summary: 'Show jobs, live on a terminal; read, wait for, answer and end them',
    load: () => import('./commands/jobs.ts'),
  },
  {
    name: 'artifacts',
    summary: 'List, show, search and remove the full output of runs',
    load: () => import('./commands/artifacts.ts'),
  },
  {
    name: 'explain',
    summary: 'Say how a command is read and whether it may run',
    load: () => import('./commands/explain.ts'),
  },
  {
    name: 'approvals',
    summary: 'Answer what waits for your approval',
    load: () => import('./commands/approvals.ts'),
  },
  {
    name: 'sessions',
    summary: 'List sessions, look at one, or give it a new shell',
    load: () => import('./commands/sessions.ts'),
  },
  { name: 'log', summary: 'Show which commands were run', load: () => import('./commands/log.ts') },
  {
    name: 'mcp',
    summary: 'Serve the tool to agents over MCP',
    load: () => import('./commands/mcp.ts'),
  },
  {
    name: 'rpc',
    summary: 'Serve the tool to programs as JSON lines',
    load: () => import('./commands/rpc.ts'),
  },
  {
    name: 'acp',
    summary: 'Run what you type in your editor, over ACP',
    load: () => import('./commands/acp.ts'),
  },
  {
    name: 'console',
    summary: 'Work at a prompt, as a person and as an agent',
    load: () => import('./commands/console.ts'),
  },
  {
    name: 'watch',
    summary: 'See live what agents run on this machine, and answer them',
    load: () => import('./commands/watch.ts'),
  },
  { name: 'doctor', summary: 'Say what works on this machine', load: () => import('./commands/doctor.ts') },
  {
    name: 'completion',
    summary: 'Print a completion script for your shell',
    load: () => import('./commands/completion.ts'),
  },
];
