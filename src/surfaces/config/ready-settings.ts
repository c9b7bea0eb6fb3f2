import type { Setting } from './setting.ts';
import { wholeNumber } from './setting-type.ts';

/** Shells that are started ahead. */
export const READY_SETTINGS: Readonly<Record<string, Setting>> = {
  readyShells: {
    type: wholeNumber(0, 64),
    default: '2',
    help: 'How many shells are kept ready for the next commands; 0 keeps none',
    project: { never: 'it starts processes on your machine' },
    option: 'readyShells',
  },
};
