/** What is on the terminal of a job. */
import { setTimeout as pause } from 'node:timers/promises';
import { Screen } from '../dist/index.js';

/** To be closed by who asked for it. */
export async function screenOf(bash, { id, size }) {
  const artifact = bash.artifacts.open(id);
  const screen = new Screen(size);
  await screen.write((await artifact.bytes({ from: 0, to: artifact.totalBytes })).bytes);
  return screen;
}

export async function until(bash, { id, size, sign }) {
  for (let look = 0; look < 400; look++) {
    const screen = await screenOf(bash, { id, size });
    const text = screen.rows().join('\n');
    screen.close();
    if (text.includes(sign)) return;
    await pause(50);
  }
  throw new Error(`The screen never showed ${sign}`);
}
