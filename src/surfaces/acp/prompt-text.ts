import { fileURLToPath } from 'node:url';
import type { ContentBlock } from '@agentclientprotocol/sdk';

/** What a person typed, as one text: files that they mentioned stand in it as paths. `null`: there is something else in it. */
export function promptText(blocks: readonly ContentBlock[]): string | null {
  const parts = blocks.map(partOf);
  return parts.includes(null) ? null : parts.join('').trim();
}

function partOf(block: ContentBlock): string | null {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return toWord(block.uri);
    case 'resource':
      return toWord(block.resource.uri);
    default:
      return null;
  }
}

/** A word that bash takes as it is. */
function toWord(uri: string): string {
  const path = uri.startsWith('file://') ? toPath(uri) : uri;
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

function toPath(uri: string): string {
  try {
    return fileURLToPath(uri.replace(/#.*$/, ''));
  } catch {
    return uri;
  }
}
