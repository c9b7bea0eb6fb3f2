/** When a service that ended is started again. */
export type RestartPolicy = 'never' | 'on-failure' | 'always';

/** What tells that a service is ready: both, where both are given. */
export interface ReadyCondition {
  /** A regular expression that matches a line of its output. */
  readonly log: string | null;
  /** A port on this machine that takes connections. */
  readonly port: number | null;
}

/** A job with a name. */
export interface ServiceRequest {
  readonly name: string;
  readonly ready: ReadyCondition | null;
  readonly restart: RestartPolicy;
}
