import type { Setting } from './setting.ts';
import { wholeNumber } from './setting-type.ts';

/** How the tool is served over MCP. */
export const MCP_SETTINGS: Readonly<Record<string, Setting>> = {
  'mcp.callLimitMs': {
    type: wholeNumber(0),
    default: "the client's own",
    help: 'How long the MCP client waits for a tool: a call goes on as a job before that; 0 when it waits forever',
    project: 'may',
    option: null,
  },
};
