import type { DatabaseSync } from 'node:sqlite';
import { checkIntegration } from '../../integration.js';
import { aName, fieldsOf, needed, timerMsFrom, wholeNumberFrom, type OptionKind } from '../../option-kind.js';
import type { Engine } from '../journal.js';
import { createSuspects } from '../ledger.js';
import { checkOptions, rejectOption } from '../option-checks.js';
import { hostOn, type Hosted } from './host-on.js';
import { backupFile, closeFile, openFile } from './open-file.js';

/** The file and the limits of runs on OpenWorkflow. */
export interface OpenWorkflowOptions {
  /** The SQLite file; created if missing. Processes of one machine may share it. */
  readonly path: string;
  /** The maximum number of concurrent run segments in this process, for each agent; at least 1. Default: 16. */
  readonly concurrency?: number;
  /**
   * Milliseconds without a heartbeat from its process after which another process takes over a run; at least 1,000. A process that
   * computes for longer without a pause loses its runs. Default: 10,000.
   */
  readonly leaseMs?: number;
  /**
   * The number of processes that may die of a run one after another, without completing a further step. Then the run is given up as
   * `durable/lost-run`. At least 1. Default: 10.
   */
  readonly maxDeaths?: number;
}

/** An engine whose runs are in a file. */
export interface OpenWorkflowEngine extends Engine {
  /**
   * Copies the file, with all runs as they are now, to a new file. Processes that use the file do not need to stop. A plain copy of a file in
   * use lacks what is in its write-ahead log. Raises `durable/unreachable`, for example if the new file exists.
   */
  backup(to: string): Promise<void>;
}

const kinds = fieldsOf({
  path: needed(aName),
  concurrency: wholeNumberFrom(1),
  leaseMs: timerMsFrom(1_000),
  maxDeaths: wholeNumberFrom(1),
} satisfies Record<keyof OpenWorkflowOptions, OptionKind>);

/**
 * Runs that outlive their process, on OpenWorkflow and an SQLite file: for one machine, and only the package `openworkflow` to
 * install. Raises `durable/invalid-option`, `install/unsupported-version`.
 *
 * @example
 * const agent = new InterlockAgent({ name: 'support', model, tools, durability: openWorkflow({ path: 'runs.db' }) });
 */
export const openWorkflow = (options: OpenWorkflowOptions): OpenWorkflowEngine => {
  checkIntegration('openworkflow');
  checkOptions(kinds, options);
  const { path, concurrency = 16, leaseMs = 10_000, maxDeaths = 10 } = options;
  const suspects = createSuspects();
  const hosted = new Map<string, Hosted>();
  let opened: DatabaseSync | undefined;
  return {
    name: 'openworkflow',
    isDurable: true,
    isFenced: true, // a step's result is accepted only from the process that holds the run's lease
    host: (program) => {
      const known = hosted.get(program.id);
      if (known) rejectOption('durability', `two agents with the id "${program.id}" share an engine.`);
      const host = hostOn((opened ??= openFile(path)), program, { path, concurrency, leaseMs, maxDeaths, suspects });
      hosted.set(program.id, host);
      return host.runs;
    },
    backup: async (to) => backupFile(path, to),
    close: async () => {
      await Promise.all([...hosted.values()].map((host) => host.stop()));
      hosted.clear();
      if (opened) closeFile(opened);
      opened = undefined;
    },
  };
};
