/** The device numbers of pseudo-terminals, by the side that programs use; the other side is not here. */
const PTS_MAJORS = { first: 136, last: 143 };
const CONSOLE_MAJOR = 4;
/** From here on they are serial lines, at whose other end is a machine. */
const SERIAL_MINOR = 64;
const TTY_MAJOR = 5;
/** 0 is `/dev/tty`, 1 is `/dev/console`; the next one makes pseudo-terminals. */
const CONSOLE_MINOR = 1;

/** Whether a character device is a terminal at which somebody may sit. */
export function isTerminalDevice(device: number): boolean {
  const { major, minor } = partsOf(device);
  if (major === CONSOLE_MAJOR) return minor < SERIAL_MINOR;
  if (major === TTY_MAJOR) return minor <= CONSOLE_MINOR;
  return isPts(major);
}

/** The path of a terminal by its device number; `null` for one that is not a pseudo-terminal. */
export function terminalPath(device: number): string | null {
  const { major, minor } = partsOf(device);
  return isPts(major) ? `/dev/pts/${(major - PTS_MAJORS.first) * 256 + minor}` : null;
}

function isPts(major: number): boolean {
  return major >= PTS_MAJORS.first && major <= PTS_MAJORS.last;
}

function partsOf(device: number): { major: number; minor: number } {
  return { major: (device >>> 8) & 0xfff, minor: (device & 0xff) | ((device >>> 12) & 0xfff00) };
}
