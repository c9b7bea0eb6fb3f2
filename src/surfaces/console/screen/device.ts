import { ASK_GROUND } from './answer.ts';
import type { FrameSize } from './frame.ts';
import { ASK_KEYBOARD } from './keyboard.ts';

/** The terminal a person sits at, or one that a test pretends to be. */
export interface Device {
  readonly size: FrameSize;
  write(text: string): void;
  /** Begins to listen; what it returns ends that. */
  open(listener: DeviceListener): () => void;
}

export interface DeviceListener {
  onInput(bytes: Uint8Array): void;
  onResize(): void;
}

/** Another screen, no echo, marked pastes, two questions; and everything back as it was. */
export const ENTER: string = `\x1b[?1049h\x1b[?2004h\x1b[?7l${ASK_KEYBOARD}${ASK_GROUND}`;
const LEAVE = '\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[0m\x1b[?1049l';

/** The terminal of this process. */
export function createDevice(input: NodeJS.ReadStream, output: NodeJS.WriteStream): Device {
  return {
    get size() {
      return { columns: output.columns || 80, rows: output.rows || 24 };
    },
    write: (text) => void output.write(text),
    open: ({ onInput, onResize }) => {
      input.setRawMode(true);
      input.on('data', onInput);
      input.resume();
      output.on('resize', onResize);
      output.write(ENTER);
      const restore = (): void => {
        output.write(LEAVE);
        input.setRawMode(false);
      };
      // Whatever ends this program, the person gets the terminal back.
      process.once('exit', restore);
      return () => {
        process.off('exit', restore);
        input.off('data', onInput);
        input.pause();
        output.off('resize', onResize);
        restore();
      };
    },
  };
}
