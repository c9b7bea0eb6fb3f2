export interface StormReport {
  readonly rounds: number;
  readonly runs: number;
  readonly orphans: number;
  readonly toldLater: number;
  readonly problems: readonly string[];
}
export function storm(options: {
  readonly rounds: number;
  readonly concurrency?: number;
  readonly seed?: number;
}): Promise<StormReport>;
