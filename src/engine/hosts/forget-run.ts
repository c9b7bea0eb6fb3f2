import { rm } from 'node:fs/promises';

/** A run that never began leaves nothing. Its supervisor may still be writing its last words there. */
export async function forgetRun(directory: string): Promise<void> {
  try {
    await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 10 });
  } catch {
    // What is left of it goes when its time is over.
  }
}
