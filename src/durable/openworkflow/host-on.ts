import { OpenWorkflow, type Worker } from 'openworkflow';
import { BackendSqlite } from 'openworkflow/sqlite';
import type { Backend } from 'openworkflow/internal';
import type { Durable, Program, ProgramCall, ProgramRuns, RunFound } from '../journal.js';
import { databaseOf, leaseExtender } from './extend-leases.js';
import { leased } from './leased.js';
import { patienceMs, type OpenFile } from './open-file.js';

/** A program that runs in this process. */
export interface Hosted {
  readonly runs: ProgramRuns;
  stop(): Promise<void>;
}

export interface HostOptions {
  readonly path: string;
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly maxDeaths: number;
}

/** Steps that keep their whole attempt: what a step gave is text, and what fails is the engine's own. */
type Step = Parameters<Parameters<OpenWorkflow['implementWorkflow']>[1]>[0]['step'];

/** How often it is looked whether somebody wants a run to be canceled. */
const lookForCancelsMs = 250;

/** A run whose process fails without dying is tried again like this, for as long as it takes. */
const retryPolicy = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s', maximumAttempts: 0 } as const;
/** A step never fails by itself; where it could not be kept, the run is tried again as a whole. */
const stepRetryPolicy = { ...retryPolicy, initialInterval: '250ms', maximumInterval: '5s' } as const;

/** Hosts a program on the file, in a namespace of its own: its worker claims no other program's runs. */
export const hostOn = (file: OpenFile, program: Program, options: HostOptions): Hosted => {
  const { path, concurrency, leaseMs } = options;
  const sqlite = BackendSqlite.connect(path, { namespaceId: program.id });
  waitForOthers(sqlite);
  const backend = leased(sqlite, { leaseMs, extend: leaseExtender(sqlite, program.id) });
  const client = new OpenWorkflow({ backend });
  const canceling = watchCancels(file, program.id);
  const workflow = client.defineWorkflow<ProgramCall, string>({ name: program.id, retryPolicy }, async ({ input, step, run }) => {
    file.noteWorkflowRun(program.id, input.runId, run.id);
    await checkLives(backend, file, { program, runId: input.runId, workflowRunId: run.id, maxDeaths: options.maxDeaths });
    const canceled = canceling.watch(input.runId);
    try {
      return await program.run(durableOn(step, canceled), input);
    } catch (error) {
      file.noteSurvival(program.id, input.runId);
      throw error;
    } finally {
      canceling.forget(input.runId);
    }
  });
  const worker = client.newWorker({ concurrency });
  const working = worker.start();
  const claimNow = claimingNow(worker);
  return {
    runs: {
      start: async (call) => {
        const isFirst = file.reserve(program.id, call.runId);
        if (file.workflowRunOf(program.id, call.runId)) return isFirst;
        // Also where another process has reserved the id, and may have died before it came to this.
        const { workflowRun } = await workflow.run(call, { idempotencyKey: call.runId });
        file.noteWorkflowRun(program.id, call.runId, workflowRun.id);
        await claimNow();
        return isFirst;
      },
      find: async (runId) => foundOf(backend, file.workflowRunOf(program.id, runId)),
      cancel: async (runId) => {
        file.requestCancel(program.id, runId);
        canceling.look();
      },
      board: file.board(program.id),
    },
    stop: async () => {
      await working;
      await worker.stop();
      canceling.stop();
      await backend.stop();
    },
  };
};

/** OpenWorkflow's connection gives up at once where another process is writing. */
const waitForOthers = (backend: BackendSqlite): void => {
  databaseOf(backend).exec(`PRAGMA busy_timeout = ${patienceMs}`);
};

/** What was just begun is not left to wait for the worker's next look. Two looks at once would give one slot of the worker to two runs. */
const claimingNow = (worker: Worker): (() => Promise<void>) => {
  let last: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  const look = async (before: Promise<void>): Promise<void> => {
    await before.catch(() => undefined);
    next = undefined; // who begins a run from now on may be too late for this look
    await worker.tick();
  };
  return () => (last = next ??= look(last));
};

const durableOn = (step: Step, canceled: AbortSignal): Durable => {
  const durable: Durable = {
    step: (name, run) => step.run({ name, retryPolicy: stepRetryPolicy }, () => run(durable)),
    canceled,
  };
  return durable;
};

interface Life {
  readonly program: Program;
  readonly runId: string;
  readonly workflowRunId: string;
  readonly maxDeaths: number;
}

/** A run that kills every process that takes it up, always at the same place, would do so for ever. */
const checkLives = async (
  backend: Backend,
  file: OpenFile,
  { program, runId, workflowRunId, maxDeaths }: Life,
): Promise<void> => {
  const { data } = await backend.listStepAttempts({ workflowRunId, limit: 1_000 });
  const kept = data.filter(({ status }) => status === 'completed').length;
  const deaths = file.noteLife(program.id, runId, kept);
  if (deaths < maxDeaths) return;
  await backend.cancelWorkflowRun({ workflowRunId });
  throw new Error(`${deaths} processes have died of it at the same place.`);
};

const foundOf = async (backend: Backend, workflowRunId: string | undefined): Promise<RunFound> => {
  const run = workflowRunId ? await backend.getWorkflowRun({ workflowRunId }) : null;
  if (!run) return { kind: 'absent' };
  const { status, output, error } = run;
  switch (status) {
    case 'completed':
    case 'succeeded':
      return { kind: 'ended', output: output as string }; // what the program gave
    case 'failed':
      return { kind: 'lost', reason: error?.message ?? 'it failed.' };
    case 'canceled':
      return { kind: 'lost', reason: 'processes have died of it again and again, or it was canceled in the file.' };
    case 'pending':
    case 'running':
    case 'sleeping':
      return { kind: 'running' };
    default:
      return status satisfies never;
  }
};

/** Tells the runs that go on here that they are to be canceled, whichever process was asked. */
const watchCancels = (file: OpenFile, program: string) => {
  const watched = new Map<string, AbortController>();
  const look = (): void => {
    for (const [runId, controller] of watched) if (file.isCancelRequested(program, runId)) controller.abort();
  };
  const timer = setInterval(look, lookForCancelsMs);
  timer.unref();
  return {
    look,
    watch: (runId: string): AbortSignal => {
      const controller = new AbortController();
      watched.set(runId, controller);
      if (file.isCancelRequested(program, runId)) controller.abort();
      return controller.signal;
    },
    forget: (runId: string) => void watched.delete(runId),
    stop: () => clearInterval(timer),
  };
};
