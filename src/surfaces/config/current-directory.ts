/** The working directory for commands that only read settings there; `/` when it was deleted. */
export function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}
