const MOST = 20;

/** What there is, for an error that names it: the first of them, and how many more. */
export function listed(title: string, names: readonly string[]): string {
  if (names.length === 0) return `${title}: none`;
  const shown = [...names].sort().slice(0, MOST).join(', ');
  const more = names.length - MOST;
  return `${title}: ${shown}${more > 0 ? ` and ${more} more` : ''}`;
}
