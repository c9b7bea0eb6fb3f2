/** How long this program has worked, in milliseconds: a busy machine makes it slower, but not less patient. */
export function workedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
