import type { DatabaseSync } from 'node:sqlite';
import { checkIntegration } from '../../integration.js';
import { aName, fieldsOf, needed, timerMsFrom, wholeNumberFrom, type ValueOf } from '../../option-kind.js';
import {
  TakenOver,
  withErrors,
  type Engine,
  type Program,
  type ProgramCall,
  type ProgramRuns,
  type RunFound,
} from '../journal.js';
import { createSuspects, DeadlyRun, createExecution, type Suspects } from '../ledger.js';
import { checkOptions, rejectOption } from '../option-checks.js';
import { backupFile, closeFile, openFile, patienceMs } from './open-file.js';
import { randomUUID } from 'node:crypto';
import { OpenWorkflow, type Worker } from 'openworkflow';
import { BackendSqlite } from 'openworkflow/sqlite';
import type { Backend, WorkflowRun } from 'openworkflow/internal';
import { watchCancels } from '../watches.js';
import { boardOn, checkEncryption, persistedSteps, runTables, runWriter, type RunLabels, type RunLease } from './tables.js';
import { isOutermost, storedDurable, type StepStore } from '../stored-steps.js';
import { packText, unpackText } from '../packed.js';
import { fieldsIn } from '../../phase/plain-data.js';
import { databaseOf, leaseTable, fileError, isOfFile, leased } from './leased.js';

const kinds = fieldsOf({
  /** The SQLite file; created if missing. Processes of one machine may share it. */
  path: needed(aName),
  /** The maximum number of concurrent run segments in this process, for each agent; at least 1. Default: 16. */
  concurrency: wholeNumberFrom(1),
  /**
   * Milliseconds without a heartbeat from its process after which another process takes over a run; at least 1,000. A process that
   * computes for longer without a pause loses its runs. Default: 10,000.
   */
  leaseMs: timerMsFrom(1_000),
  /**
   * The number of processes that may die of a run one after another, without completing a further step. Then the run is given up as
   * `durable/lost-run`. At least 1. Default: 10.
   */
  maxDeaths: wholeNumberFrom(1),
});

/** The file and the limits of runs on OpenWorkflow. */
export type OpenWorkflowOptions = Readonly<ValueOf<typeof kinds>>;

/** An engine whose runs are in a file. */
export interface OpenWorkflowEngine extends Engine {
  /**
   * Copies the file, with all runs as they are now, to a new file. Processes that use the file do not need to stop. A plain copy of a file in
   * use lacks what is in its write-ahead log. Raises `durable/unreachable`, for example if the new file exists.
   */
  backup(to: string): Promise<void>;
}

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

/** A program that runs in this process. */
interface Hosted {
  readonly runs: ProgramRuns;
  stop(): Promise<void>;
}

/** The input of OpenWorkflow for a run. */
interface StartedCall extends ProgramCall {
  /** Tells whose call started the run, if several start it at once. */
  readonly startId?: string;
  readonly labels: RunLabels;
}

interface HostOptions {
  readonly path: string;
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly maxDeaths: number;
  readonly suspects: Suspects;
}

/** Retries of a run whose process fails without dying, without a limit. */
const retryPolicy = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s', maximumAttempts: 0 } as const;

/** The runs of a program in the file. */
type OpenRuns = ReturnType<typeof openRuns>;

/** Opens the runs of a program in a namespace of its own: its worker claims no other program's runs. */
const openRuns = (db: DatabaseSync, program: Program, { path, leaseMs }: HostOptions) => {
  checkEncryption(db, program);
  const sqlite = BackendSqlite.connect(path, { namespaceId: program.id });
  const own = databaseOf(sqlite);
  own.exec(`PRAGMA busy_timeout = ${patienceMs}`); // it gives up at once if another process is writing
  const tables = runTables(db, program.id);
  return {
    ...leased(sqlite, leaseMs, leaseTable(sqlite, program.id)),
    tables,
    steps: persistedSteps(own),
    /** Steps are synced to disk; records alone only with the next step. */
    writers: { synced: runWriter(own, program.id), early: runWriter(db, program.id) },
    canceling: watchCancels((runIds) => runIds.filter(tables.isCancelRequested)),
  };
};

/** Hosts a program on the file. */
const hostOn = (db: DatabaseSync, program: Program, options: HostOptions): Hosted => {
  const { path, concurrency, maxDeaths, suspects } = options;
  const opened = openRuns(db, program, options);
  const { backend, leases, tables, canceling } = opened;
  const client = new OpenWorkflow({ backend });
  const workflow = client.defineWorkflow<StartedCall, string>({ name: program.id, retryPolicy }, async ({ input, run }) => {
    const { runId, labels } = input;
    tables.setWorkflowRun(runId, run.id, labels); // its caller may have died before
    const execution = createExecution(tables.ledgerOf(runId), maxDeaths, suspects);
    const lease = { workflowRunId: run.id, workerId: leases.holderOf(run.id) ?? '' };
    const canceled = canceling.watch(runId);
    await canceling.look();
    try {
      const durable = storedDurable(storeOn(opened, lease), execution, canceled);
      return packText(await program.run(durable, { runId, input: unpackText(input.input, runId) }));
    } catch (error) {
      if (error instanceof DeadlyRun) await backend.cancelWorkflowRun({ workflowRunId: run.id });
      else if (!(error instanceof TakenOver)) await execution.interrupt();
      throw error;
    } finally {
      execution.end();
      canceling.forget(runId, canceled);
    }
  });
  const begin = async (call: StartedCall) => (await workflow.run(call, { idempotencyKey: call.runId })).workflowRun;
  const worker = client.newWorker({ concurrency });
  const working = worker.start();
  const claimNow = claimingNow(worker);
  return {
    runs: withErrors((cause) => (isOfFile(cause) ? fileError(path, cause) : cause), {
      start: startOn(opened, begin, claimNow),
      find: findOn(opened, maxDeaths),
      cancel: async (runId) => {
        tables.requestCancel(runId);
        await canceling.look();
      },
      ...repairsOn(opened),
      list: async (filter) => tables.list(filter),
      storedBytes: async () => tables.storedBytes(),
      drop: async (runId) => tables.drop(runId),
      board: boardOn(db, program.id),
    }),
    stop: async () => {
      await working;
      await worker.stop();
      canceling.stop();
      await backend.stop();
    },
  };
};

/** @param begin starts a run; returns the one that another process has started, if there is one */
const startOn =
  (
    { tables }: OpenRuns,
    begin: (call: StartedCall) => Promise<WorkflowRun>,
    claimNow: () => Promise<void>,
  ): ProgramRuns['start'] =>
  async ({ runId, input, resourceId = null, priority = 0 }) => {
    const labels = { resourceId, priority };
    tables.reserve(runId, labels);
    if (tables.workflowRunOf(runId)) return false;
    // Another process may have reserved the id and died, or may be here, too: the run has the input of only one of them.
    const startId = randomUUID();
    const run = await begin({ runId, input: packText(input), startId, labels });
    const started = fieldsIn(run)['input'] as StartedCall; // as passed by its caller
    tables.setWorkflowRun(runId, run.id, started.labels);
    await claimNow();
    return started.startId === startId;
  };

const repairsOn = ({ tables, backend, steps, canceling }: OpenRuns): Pick<ProgramRuns, 'abandon' | 'journal' | 'retry'> => ({
  retry: async (runId) => tables.retry(runId), // the worker's next poll finds it
  abandon: async (runId) => {
    const workflowRunId = tables.workflowRunOf(runId);
    if (workflowRunId === undefined || (await foundOf(backend, workflowRunId)).kind !== 'running') return false;
    await backend.cancelWorkflowRun({ workflowRunId });
    tables.requestCancel(runId); // work under way stops, and its result is not stored
    await canceling.look();
    return true;
  },
  journal: async (runId) => {
    const workflowRunId = tables.workflowRunOf(runId);
    const run = workflowRunId === undefined ? null : await backend.getWorkflowRun({ workflowRunId });
    const { input } = fieldsIn(run?.input);
    return run && typeof input === 'string'
      ? { input: unpackText(input, runId), steps: steps(run.id).filter(isOutermost) }
      : undefined;
  },
});

/**
 * Claims a run right after its start, without waiting for the worker's next poll. Two polls at the same time would give one
 * worker slot to two runs.
 */
const claimingNow = (worker: Worker): (() => Promise<void>) => {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const poll = async (before: Promise<void>): Promise<void> => {
    await before.catch(() => undefined);
    next = undefined; // a run that starts from now on may miss this poll
    await worker.tick();
  };
  return () => (last = next ??= poll(last));
};

/** The steps that are stored already are read once, as the run is adopted. */
const storeOn = ({ written, steps, writers }: OpenRuns, lease: RunLease): StepStore => {
  const known = new Map(steps(lease.workflowRunId).map((step) => [step.key, step]));
  return {
    find: (key) => known.get(key)?.text,
    count: () => known.size,
    check: () => writers.synced.check(lease),
    write: (write) => written(() => (write.step ? writers.synced : writers.early).write(lease, write)),
  };
};

const foundOf = async (backend: Backend, workflowRunId: string | undefined): Promise<RunFound> => {
  const run = workflowRunId ? await backend.getWorkflowRun({ workflowRunId }) : null;
  if (!run) return { kind: 'absent' };
  const { status, output, error } = run;
  switch (status) {
    case 'completed':
    case 'succeeded':
      return { kind: 'ended', output: unpackText(output as string, workflowRunId ?? '') }; // the program's result
    case 'failed':
      return { kind: 'lost', reason: error?.message ?? 'it failed.' };
    case 'canceled':
      return { kind: 'lost', reason: 'it was abandoned.' };
    case 'pending':
    case 'running':
    case 'sleeping':
      return { kind: 'running' };
    default:
      return status satisfies never;
  }
};

/** Finds runs; a lost one has the deaths of processes as its reason if there were too many. */
const findOn =
  ({ tables, backend }: OpenRuns, maxDeaths: number) =>
  async (runId: string): Promise<RunFound> => {
    const found = await foundOf(backend, tables.workflowRunOf(runId));
    const deaths = found.kind === 'lost' ? tables.deathsOf(runId) : 0;
    return deaths < maxDeaths ? found : { kind: 'lost', reason: new DeadlyRun(deaths).message };
  };
