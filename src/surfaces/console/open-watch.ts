import { createDevice } from './screen/device.ts';
import { chooseTheme, mayAdapt } from './screen/theme.ts';
import { Watch } from './watch/watch.ts';

/** Shows live what happens on this machine, until the person leaves. */
export async function openWatch(options: { stateDirectory: string; session: string | null }): Promise<void> {
  const device = createDevice(process.stdin, process.stdout);
  const { env } = process;
  await new Watch({ ...options, device, theme: chooseTheme(env), mayAdapt: mayAdapt(env) }).run();
}
