/** Directories of jobs that are over, as their supervisors leave them, without the index. */
export function makeEndedRuns(state: string, count: number): void;
