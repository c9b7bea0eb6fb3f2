import { expect, test } from 'vitest';
import { assembleSeccompFilter } from '../../../../src/engine/hosts/sandbox/seccomp-filter.ts';

const ALLOW = 0x7fff_0000;
const refused = (error: number): number => 0x0005_0000 | error;

/** Interprets the filter as the kernel does and returns its verdict for a call. */
function judge(
  filter: Buffer,
  { call, args = [], audit = 0xc000003e }: { call: number; args?: number[]; audit?: number },
): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call, 0);
  data.writeUInt32LE(audit, 4);
  for (const [index, value] of args.entries()) data.writeUInt32LE(value >>> 0, 16 + index * 8);
  let held = 0;
  for (let at = 0; ; at++) {
    const [code, yes, no, value] = [
      filter.readUInt16LE(at * 8),
      filter.readUInt8(at * 8 + 2),
      filter.readUInt8(at * 8 + 3),
      filter.readUInt32LE(at * 8 + 4),
    ];
    if (code === 0x06) return value;
    if (code === 0x20) held = data.readUInt32LE(value);
    else if (code === 0x54) held &= value;
    else if (code === 0x15) at += held === value ? yes : no;
    else if (code === 0x35) at += held >= value ? yes : no;
    else if (code === 0x45) at += (held & value) !== 0 ? yes : no;
    else throw new Error(`unknown instruction ${code}`);
  }
}

const filter = assembleSeccompFilter({ unixSockets: false, isRoot: false }, 'x64') ?? Buffer.alloc(0);

test.each([
  ['read', { call: 0 }, ALLOW],
  ['ptrace', { call: 101 }, refused(1)],
  ['io_uring_setup', { call: 425 }, refused(38)],
  ['clone3', { call: 435 }, refused(38)],
  ['fork by clone', { call: 56, args: [17] }, ALLOW],
  ['a thread', { call: 56, args: [0x3d0f00] }, ALLOW],
  ['clone of a user namespace', { call: 56, args: [0x1000_0011] }, refused(1)],
  ['unshare of files', { call: 272, args: [0x400] }, ALLOW],
  ['unshare of the network', { call: 272, args: [0x4000_0000] }, refused(1)],
  ['unshare of time', { call: 272, args: [0x80] }, refused(1)],
  ['an internet socket', { call: 41, args: [2, 1, 0] }, ALLOW],
  ['a unix socket', { call: 41, args: [1, 1, 0] }, refused(1)],
  ['a pair of stream sockets', { call: 53, args: [1, 0x8_0801, 0] }, ALLOW],
  ['a pair of packet sockets', { call: 53, args: [1, 5, 0] }, ALLOW],
  ['a pair of datagram sockets', { call: 53, args: [1, 0x8_0802, 0] }, refused(1)],
  ['a pair of raw sockets', { call: 53, args: [1, 3, 0] }, refused(1)],
  ['vsock', { call: 41, args: [40, 1, 0] }, refused(97)],
  ['routing', { call: 41, args: [16, 3, 0] }, ALLOW],
  ['kernel events', { call: 41, args: [16, 3, 15] }, refused(1)],
  ['a terminal size', { call: 16, args: [0, 0x5413] }, ALLOW],
  ['typing for somebody', { call: 16, args: [0, 0x5412] }, refused(1)],
  ['chmod', { call: 90, args: [0, 0o755] }, ALLOW],
  ['chmod with the set-user-ID bit', { call: 90, args: [0, 0o4755] }, refused(1)],
  ['chmod with the set-group-ID bit', { call: 90, args: [0, 0o2755] }, ALLOW],
  ['fchmodat with the set-user-ID bit', { call: 268, args: [0, 0, 0o4755] }, refused(1)],
  ['open of an existing file with a value in the register', { call: 257, args: [0, 0, 2, 0o4755] }, ALLOW],
  ['a new file', { call: 257, args: [0, 0, 0o102, 0o644] }, ALLOW],
  ['a new file with the set-user-ID bit', { call: 257, args: [0, 0, 0o102, 0o4644] }, refused(1)],
  ['a file without a name', { call: 2, args: [0, 0o20200002, 0o4644] }, refused(1)],
  ['openat2', { call: 437 }, refused(38)],
  ['another way of calling', { call: 0x4000_0000 + 41, args: [40] }, refused(38)],
  ['another processor', { call: 0, audit: 0x4000_0003 }, refused(38)],
])('%s', (_, call, verdict) => {
  expect(judge(filter, call)).toBe(verdict);
});

test('a sandbox of root makes no set-group-ID files', () => {
  const root = assembleSeccompFilter({ unixSockets: false, isRoot: true }, 'x64') ?? Buffer.alloc(0);
  expect(judge(root, { call: 90, args: [0, 0o2755] })).toBe(refused(1));
  expect(judge(root, { call: 90, args: [0, 0o1755] })).toBe(ALLOW);
});

test('unix sockets can be let through, and an unknown processor has no filter', () => {
  const open = assembleSeccompFilter({ unixSockets: true, isRoot: true }, 'x64') ?? Buffer.alloc(0);
  expect(judge(open, { call: 41, args: [1, 1, 0] })).toBe(ALLOW);
  expect(judge(open, { call: 53, args: [1, 2, 0] })).toBe(ALLOW);
  expect(assembleSeccompFilter({ unixSockets: false, isRoot: false }, 'mips')).toBe(null);
});
