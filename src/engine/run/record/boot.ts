import { readFileSync } from 'node:fs';

/** Names this boot of the machine: a pid and its start time mean nothing after another one. */
export function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
