import { type FSWatcher, watch } from 'node:fs';

// A watch can be missed on some file systems, and not every change makes one; looking now and then cannot.
const LOOK_MS = 500;

/** Calls back when something in a directory may have changed. What it returns ends that. */
export function watchDirectory(directory: string, look: () => void): () => void {
  let watcher = tryWatch(directory, look);
  const looking = setInterval(() => {
    watcher ??= tryWatch(directory, look);
    look();
  }, LOOK_MS);
  return () => {
    clearInterval(looking);
    watcher?.close();
  };
}

function tryWatch(directory: string, look: () => void): FSWatcher | null {
  try {
    const watcher = watch(directory, look);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    // No such directory yet, or no watches left on this machine: looking now and then will do.
    return null;
  }
}
