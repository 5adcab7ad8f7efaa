import { aName, fieldsOf, needed, timerMsFrom, wholeNumberFrom, type OptionKind } from '../../option-kind.js';
import { anAddress, checkOptions } from '../option-checks.js';

/** The database and the limits of runs on DBOS. */
export interface DbosOptions {
  /** The PostgreSQL database of DBOS, e.g. `postgresql://app:secret@127.0.0.1:5432/runs`; created if the server has none of this name. */
  readonly systemDatabaseUrl: string;
  /**
   * The application's name in DBOS. Its processes take over each other's runs, so all of them must build the same agents.
   * Default: `interlock`.
   */
  readonly name?: string;
  /**
   * Milliseconds without a heartbeat after which another process takes over the runs of a process; at least 1,000. A process
   * that computes for longer without a pause loses its runs. Default: 10,000.
   */
  readonly leaseMs?: number;
  /**
   * The number of processes that may die of a run one after another, without completing a further step. Then the run is given up as
   * `durable/lost-run`. At least 1. Default: 10.
   */
  readonly maxDeaths?: number;
  /** Milliseconds to wait for an unresponsive database before a call is rejected; at least 0. Default: 60,000. */
  readonly patienceMs?: number;
}

export type DbosSettings = Required<DbosOptions>;

const kinds = fieldsOf({
  systemDatabaseUrl: needed(anAddress('postgresql:', 'postgres:')),
  name: aName,
  leaseMs: timerMsFrom(1_000),
  maxDeaths: wholeNumberFrom(1),
  patienceMs: timerMsFrom(0),
} satisfies Record<keyof DbosOptions, OptionKind>);

/** Reads the options. Raises `durable/invalid-option`. */
export const readDbosOptions = (options: DbosOptions): DbosSettings => {
  checkOptions(kinds, options, () => {
    const namesDatabase = (URL.parse(options.systemDatabaseUrl)?.pathname.length ?? 2) > 1;
    return namesDatabase ? [] : [{ path: 'systemDatabaseUrl', detail: 'it must name a database, after the host.' }];
  });
  const { systemDatabaseUrl, name = 'interlock', leaseMs = 10_000, maxDeaths = 10, patienceMs = 60_000 } = options;
  return { systemDatabaseUrl, name, leaseMs, maxDeaths, patienceMs };
};
