import type { Setting } from './setting.ts';
import { names, wholeNumber } from './setting-type.ts';

/** How the tool is served over MCP. */
export const MCP_SETTINGS: Readonly<Record<string, Setting>> = {
  'mcp.callLimitMs': {
    type: wholeNumber(0),
    default: "the client's own",
    help: 'How long the MCP client waits for a tool: a call goes on as a job before that; 0 when it waits forever',
    project: 'may',
    option: null,
  },
  'mcp.answeredElsewhereMs': {
    type: wholeNumber(0, 86_400_000),
    default: '0',
    help: 'How long nacre approvals may answer for an MCP client that cannot ask its person',
    project: 'may',
    option: null,
  },
  'mcp.http.hosts': {
    type: names,
    default: 'none',
    help: 'Names besides localhost by which clients may call nacre mcp --http: what Host and Origin may say',
    project: { never: 'it opens the server to other names' },
    option: null,
  },
  'mcp.http.idleMs': {
    type: wholeNumber(1_000),
    default: '1800000',
    help: 'How long nacre mcp --http keeps a session that nobody uses; its jobs go on',
    project: 'may',
    option: null,
  },
};
