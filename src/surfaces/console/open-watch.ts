import type { StopSignals } from '../serving/stop-signals.ts';
import { whenAborted } from '../serving/when-aborted.ts';
import { createDevice } from './screen/device.ts';
import { chooseTheme, mayAdapt } from './screen/theme.ts';
import { Watch } from './watch/watch.ts';

export interface OpenWatchOptions {
  readonly stateDirectory: string;
  readonly session: string | null;
  readonly stop: StopSignals;
}

/** Shows live what happens on this machine, until the person leaves or a signal comes. */
export async function openWatch(options: OpenWatchOptions): Promise<void> {
  const device = createDevice(process.stdin, process.stdout);
  const { env } = process;
  const watch = new Watch({ ...options, device, theme: chooseTheme(env), mayAdapt: mayAdapt(env) });
  const left = watch.run();
  whenAborted(options.stop.signal, () => watch.quit());
  await left;
}
