import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How a client is told to start the server. */
export interface InstallLine {
  readonly client: string;
  readonly words: readonly string[];
}

const GUIDE = join(import.meta.dirname, '../../docs/guide/mcp.md');

/** Every way to install the server that the guide of MCP shows: as words of a command line, and as pieces of settings. */
export function readInstallLines(): readonly InstallLine[] {
  const page = readFileSync(GUIDE, 'utf8');
  return [...fromShell(page), ...fromSettings(page)];
}

/** `claude mcp add nacre -- npx …`: what comes after the name, and after `--` where it is needed, is the server. */
function fromShell(page: string): readonly InstallLine[] {
  const lines = [...page.matchAll(/^(\w+) mcp add nacre (?:-- )?(npx [^#\n]*?) *(?:#.*)?$/gm)];
  return lines.map(([, client = '', line = '']) => ({ client, words: line.split(' ') }));
}

function fromSettings(page: string): readonly InstallLine[] {
  const pieces = [...page.matchAll(/^(\w[\w ]*), in `([^`]+)`:\n\n```json\n([\s\S]*?)```$/gm)];
  return pieces.map(([, client = '', , json = '']) => {
    const [servers] = Object.values(JSON.parse(json) as Record<string, Record<string, Server>>);
    const { command, args } = servers?.nacre ?? { command: '', args: [] };
    return { client, words: [command, ...args] };
  });
}

interface Server {
  readonly command: string;
  readonly args: readonly string[];
}
