import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';

/** What the numbers of `/proc` are counted in. */
export interface MachineUnits {
  readonly pageBytes: number;
  readonly ticksPerSecond: number;
}

/** What every program is told by the kernel as it starts: pairs of a kind and a value, of eight bytes each. */
const PAGE_SIZE = 6n;
const CLOCK_TICKS = 17n;
const USUAL: MachineUnits = { pageBytes: 4096, ticksPerSecond: 100 };

export function readMachineUnits(path = '/proc/self/auxv'): MachineUnits {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return USUAL;
  }
  const read = (at: number): bigint =>
    endianness() === 'LE' ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at);
  const found = new Map<bigint, number>();
  for (let at = 0; at + 16 <= bytes.length; at += 16) found.set(read(at), Number(read(at + 8)));
  return {
    pageBytes: found.get(PAGE_SIZE) ?? USUAL.pageBytes,
    ticksPerSecond: found.get(CLOCK_TICKS) ?? USUAL.ticksPerSecond,
  };
}
