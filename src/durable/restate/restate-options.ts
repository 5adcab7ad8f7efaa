import { checkUrl, checkWhole, refuseOption } from '../option-checks.js';

/** Where Restate is, and where it finds this process. */
export interface RestateOptions {
  /** Where runs are begun and looked up: the address of Restate's ingress, e.g. `http://127.0.0.1:8080`. */
  readonly ingressUrl: string;
  /**
   * Where this process listens for Restate, which sends it the runs to go on with. Absent: runs are begun, followed, answered and
   * canceled here, and go on in other processes.
   */
  readonly listen?: {
    readonly port: number;
    /** Default: `127.0.0.1`. Whoever reaches the port may run the agent's runs, unless `identityKeys` says whose requests count. */
    readonly host?: string;
  };
  /**
   * The address of Restate's admin API, e.g. `http://127.0.0.1:9070`: what listens here is then registered there when it begins to
   * listen. Absent: register it by hand, `restate deployments register URL`.
   */
  readonly adminUrl?: string;
  /** The address under which Restate reaches the processes that listen; one for all of them. Default: where this one listens. */
  readonly serviceUrl?: string;
  /** Sent with every request to Restate, e.g. an `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Restate's public keys (`publickeyv1_…`): requests that none of them has signed are refused. */
  readonly identityKeys?: readonly string[];
  /** Milliseconds for which what a run ended with is kept, from its end; how long a person may take to answer, too. Default: 365 days. */
  readonly retentionMs?: number;
  /** Milliseconds that a step may take before its process is given up and it is begun again; at least 1,000. Default: an hour. */
  readonly stepTimeoutMs?: number;
  /**
   * How many processes may die of a run one after another, none of them a step further than the one before, until it is given up as
   * `durable/lost-run`; at least 1. Default: 10.
   */
  readonly maxDeaths?: number;
  /** Milliseconds for which a server that does not answer is asked again; at least 0. Default: 60,000. */
  readonly patienceMs?: number;
}

/** The options with their defaults. */
export type RestateSettings = RestateOptions &
  Required<Pick<RestateOptions, 'retentionMs' | 'stepTimeoutMs' | 'maxDeaths' | 'patienceMs'>>;

/** Reads the options. Raises `durable/invalid-option`. */
export const readRestateOptions = (options: RestateOptions): RestateSettings => {
  const { listen, adminUrl } = options;
  const settings: RestateSettings = {
    ...options,
    retentionMs: options.retentionMs ?? 365 * 24 * 3_600_000,
    stepTimeoutMs: options.stepTimeoutMs ?? 3_600_000,
    maxDeaths: options.maxDeaths ?? 10,
    patienceMs: options.patienceMs ?? 60_000,
  };
  checkUrl('ingressUrl', options.ingressUrl, ['http:', 'https:']);
  for (const name of ['adminUrl', 'serviceUrl'] as const)
    if (options[name] !== undefined) checkUrl(name, options[name], ['http:', 'https:']);
  checkWhole('retentionMs', settings.retentionMs, [0]);
  checkWhole('stepTimeoutMs', settings.stepTimeoutMs, [1_000]);
  checkWhole('maxDeaths', settings.maxDeaths, [1]);
  checkWhole('patienceMs', settings.patienceMs, [0]);
  if (listen) checkWhole('listen.port', listen.port, [1, 65_535]);
  else if (adminUrl !== undefined) refuseOption('adminUrl', 'there is nothing to register without `listen`.');
  return settings;
};
