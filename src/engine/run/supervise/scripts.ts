import { fileURLToPath } from 'node:url';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** The supervisor of one command: what it reads at its start, and what it may need later. */
export const SUPERVISOR_SCRIPTS: readonly string[] = ['./supervisor.sh', './supervisor-later.sh'].map(path);

/** The same for shells that are made ahead, in the order of their descriptors. */
export const READY_SCRIPTS: readonly string[] = [
  './ready.sh',
  './supervisor-later.sh',
  './supervisor.sh',
].map(path);
