/** The addresses of Restate and of this process. */
export interface RestateOptions {
  /** The address of Restate's ingress, where runs are started and looked up, e.g. `http://127.0.0.1:8080`. */
  readonly ingressUrl: string;
  /**
   * The address where this process listens for Restate, which sends it the runs to continue. If absent, this process starts,
   * follows, answers and cancels runs, and other processes run them.
   */
  readonly listen?: {
    readonly port: number;
    /**
     * Default: `127.0.0.1`. Every client that reaches the port may run the agent's runs, unless `identityKeys` restricts the
     * accepted requests.
     */
    readonly host?: string;
  };
  /**
   * The address of Restate's admin API, e.g. `http://127.0.0.1:9070`: this process registers itself there when it starts to
   * listen. If absent, register it by hand: `restate deployments register URL`.
   */
  readonly adminUrl?: string;
  /** The address under which Restate reaches the processes that listen; one for all of them. Default: the address of `listen`. */
  readonly serviceUrl?: string;
  /** Sent with every request to Restate, e.g. an `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Restate's public keys (`publickeyv1_…`). Requests that none of them has signed are rejected. */
  readonly identityKeys?: readonly string[];
  /**
   * Milliseconds for which a run's result is stored after its end, and for which a suspended run waits for an answer. Default:
   * 365 days.
   */
  readonly retentionMs?: number;
  /** Milliseconds until a step times out and is started again in another process; at least 1,000. Default: one hour. */
  readonly stepTimeoutMs?: number;
  /**
   * The number of processes that may die of a run one after another, without completing a further step. Then the run is given up as
   * `durable/lost-run`. At least 1. Default: 10.
   */
  readonly maxDeaths?: number;
  /** Milliseconds during which requests to an unreachable server are retried; at least 0. Default: 60,000. */
  readonly patienceMs?: number;
}

/** The options with their defaults. */
export type RestateSettings = RestateOptions &
  Required<Pick<RestateOptions, 'retentionMs' | 'stepTimeoutMs' | 'maxDeaths' | 'patienceMs'>>;
