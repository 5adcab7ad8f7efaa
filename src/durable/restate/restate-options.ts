import {
  aName,
  aText,
  fieldsOf,
  listOf,
  needed,
  recordOf,
  timerMsFrom,
  wholeNumberFrom,
  type ValueOf,
} from '../../option-kind.js';
import { anAddress, checkOptions } from '../option-checks.js';

const address = anAddress('http:', 'https:');

const kinds = fieldsOf({
  /** The address of Restate's ingress, where runs are started and looked up, e.g. `http://127.0.0.1:8080`. */
  ingressUrl: needed(address),
  /**
   * The address where this process listens for Restate, which sends it the runs to continue. If absent, this process starts,
   * follows, answers and cancels runs, and other processes run them.
   */
  listen: fieldsOf({
    port: needed(wholeNumberFrom(1, 65_535)),
    /**
     * Default: `127.0.0.1`. Every client that reaches the port may run the agent's runs, unless `identityKeys` restricts the
     * accepted requests.
     */
    host: aName,
  }),
  /**
   * The address of Restate's admin API, e.g. `http://127.0.0.1:9070`: this process registers itself there when it starts to
   * listen. If absent, register it by hand: `restate deployments register URL`.
   */
  adminUrl: address,
  /** The address under which Restate reaches the processes that listen; one for all of them. Default: the address of `listen`. */
  serviceUrl: address,
  /** Sent with every request to Restate, e.g. an `Authorization`. */
  headers: recordOf(aText),
  /** Restate's public keys (`publickeyv1_…`). Requests that none of them has signed are rejected. */
  identityKeys: listOf(aName),
  /**
   * Milliseconds for which a run's result is stored after its end, and for which a suspended run waits for an answer. Default:
   * 365 days.
   */
  retentionMs: wholeNumberFrom(0),
  /** Milliseconds until a step times out and is started again in another process; at least 1,000. Default: one hour. */
  stepTimeoutMs: wholeNumberFrom(1_000),
  /**
   * The number of processes that may die of a run one after another, without completing a further step. Then the run is given up as
   * `durable/lost-run`. At least 1. Default: 10.
   */
  maxDeaths: wholeNumberFrom(1),
  /** Milliseconds during which requests to an unreachable server are retried; at least 0. Default: 60,000. */
  patienceMs: timerMsFrom(0),
});

/** The addresses of Restate and of this process. */
export type RestateOptions = Readonly<ValueOf<typeof kinds>>;

/** The options with their defaults. */
export type RestateSettings = RestateOptions &
  Required<Pick<RestateOptions, 'retentionMs' | 'stepTimeoutMs' | 'maxDeaths' | 'patienceMs'>>;

/** Reads the options. Raises `durable/invalid-option`. */
export const readRestateOptions = (options: RestateOptions): RestateSettings => {
  checkOptions(kinds, options, () => {
    const isUnused = options.adminUrl !== undefined && !options.listen;
    return isUnused ? [{ path: 'adminUrl', detail: 'it has no effect without `listen`; set `listen` or remove it.' }] : [];
  });
  const { retentionMs = 365 * 24 * 3_600_000, stepTimeoutMs = 3_600_000, maxDeaths = 10, patienceMs = 60_000 } = options;
  return { ...options, retentionMs, stepTimeoutMs, maxDeaths, patienceMs };
};
