import { readProcText } from '../proc-file.ts';
import type { Descriptors } from './descriptors.ts';

const CONNECTED = '03';

/**
 * Whether a descriptor is one end of something of which the same process holds the other end:
 * how loops are woken by their own threads and signals.
 */
export function isOwnPair(descriptors: Descriptors, fd: number): boolean {
  const link = descriptors.link(fd);
  if (link === null) return false;
  if (descriptors.kind(fd) === 'pipe')
    return descriptors.leadingTo(link).some((other) => other !== fd && descriptors.canWrite(other));
  return descriptors.kind(fd) === 'socket' && isOwnSocketPair(descriptors, link);
}

/** Nobody tells which sockets are a pair, but those that are made together get numbers that follow on each other. */
function isOwnSocketPair(descriptors: Descriptors, link: string): boolean {
  const number = numberOf(link);
  const neighbours = [number - 1, number + 1].filter(
    (each) => descriptors.leadingTo(`socket:[${each}]`).length > 0,
  );
  if (neighbours.length === 0) return false;
  const pairs = readNamelessPairs();
  return pairs.has(number) && neighbours.some((each) => pairs.has(each));
}

/** Sockets of this machine alone that are connected and have no name. */
function readNamelessPairs(): Set<number> {
  const rows = (readProcText('/proc/net/unix') ?? '').split('\n').map((line) => line.trim().split(/\s+/));
  return new Set(
    rows
      .filter(([, , , , , state, , name]) => state === CONNECTED && name === undefined)
      .map((row) => Number(row[6])),
  );
}

function numberOf(link: string): number {
  return Number(/\d+/.exec(link)?.[0]);
}
