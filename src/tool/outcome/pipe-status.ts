const SIGPIPE = 141;

/**
 * The statuses of a last pipeline, when its stages ended differently.
 *
 * A stage that was cut off by a later one that had enough (`yes | head`) did nothing wrong and does not count.
 */
export function differingStatuses(statuses: readonly number[] | null): readonly number[] | null {
  if (statuses === null || statuses.length < 2) return null;
  const lastSuccess = statuses.lastIndexOf(0);
  const counted = statuses.filter((status, index) => !(status === SIGPIPE && index < lastSuccess));
  return new Set(counted).size > 1 ? statuses : null;
}
