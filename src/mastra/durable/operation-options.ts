import type { AgentListSuspendedRunsResult } from '@mastra/core/agent';
import type { PersistedRun } from '../../durable/journal.js';
import {
  asAgentFault,
  throwFaults,
  aCount,
  aName,
  aText,
  either,
  fieldsOf,
  kind,
  listOf,
  needed,
  oneOf,
  wholeNumberFrom,
  type OptionKind,
  type ValueOf,
} from '../../option-kind.js';
import type { CodeChange } from '../options/own-options.js';

/** The state of a durable run: queued, running, waiting for a person or for code, ended, or given up by its engine. */
export type PersistedRunStatus = WaitingRun['status'] | PersistedRun['state'];

const aDate = kind<Date>('a valid date', (value) => value instanceof Date && !Number.isNaN(value.getTime()));
const aStatus: OptionKind<PersistedRunStatus> = oneOf('queued', 'running', 'suspended', 'needs-decision', 'ended', 'lost');

const owner = {
  /** A run of another resource is `durable/no-run`; `undefined` is rejected. Default: not checked. */
  resourceId: aName,
};

const attach = {
  ...owner,
  /** The lowest `metadata.sequence` of the returned chunks; 0 returns all. Default: the start of the last run segment. */
  from: wholeNumberFrom(0),
};

const fork = {
  ...owner,
  /**
   * The first step that the new run repeats: a chunk's `metadata.stepNumber`, from 0. Default: the first part of the run that was
   * not persisted.
   */
  step: wholeNumberFrom(0),
  /** Default: a generated id. */
  newRunId: aName,
};

const listRuns = {
  /** One or more statuses. Default: all. */
  status: either(aStatus, listOf(aStatus)),
  /** The run with this id. Default: all. */
  runId: aName,
  /** Runs of this resource. Default: all. */
  resourceId: aName,
  startedBefore: aDate,
  startedAfter: aDate,
  /** Maximum number of runs, most recent first. Default: 100. */
  limit: aCount,
};

/** The options of each operation on runs; the comment of an option is public. */
const operations = {
  attach,
  cancel: owner,
  retry: owner,
  abandon: owner,
  fork,
  erase: { resourceId: needed(aName) },
  prune: { olderThan: needed(aDate) },
  listRuns,
  listSuspendedRuns: {
    threadId: aText,
    resourceId: aText,
    fromDate: aDate,
    toDate: aDate,
    perPage: aCount,
    page: wholeNumberFrom(0),
  },
} as const;

type Operation = keyof typeof operations;
type OptionsOf<Fields> = { readonly [Name in keyof Fields]?: ValueOf<Fields[Name]> };

/** The owner of a requested run. */
export type RunOwner = OptionsOf<typeof owner>;
export type AttachOptions = OptionsOf<typeof attach>;
/** The point at which a run is forked. */
export type ForkOptions = OptionsOf<typeof fork>;
/** Selects durable runs. */
export type RunFilter = OptionsOf<typeof listRuns>;

/**
 * These restrict an operation: if a caller lost the value, the operation must not concern other runs. Mastra's server lists
 * suspended runs with every option, set or not.
 */
const isRestriction = (operation: Operation, name: string): boolean =>
  operation !== 'listSuspendedRuns' && (name === 'resourceId' || name === 'runId');

/**
 * Checks the options of an operation on runs. Raises one error for all faults, `agent/unknown-option` or `agent/invalid-option`,
 * also for a restriction that is there, but undefined.
 */
export const checkOperation = (operation: Operation, options: object = {}): void => {
  const kinds = Object.entries<OptionKind>(operations[operation]).map(([name, option]): [string, OptionKind] => [
    name,
    isRestriction(operation, name) && Object.hasOwn(Object(options), name) ? needed(option) : option,
  ]);
  throwFaults(
    fieldsOf(Object.fromEntries(kinds))
      .faultsOf(options, '')
      .map((fault) => asAgentFault({ ...fault, path: fault.path.slice(1) || 'options' })),
  );
};

/** A run that waits for its code or for a readable journal, or for a decision: `acceptChangedCode`, `cancel` or `abandon`. */
export interface NeedsDecision extends CodeChange {
  readonly status: 'needs-decision';
}

/** A waiting run: it needs a person's answer, or code that may continue it. */
export type WaitingRun = AgentListSuspendedRunsResult['runs'][number] | NeedsDecision;
