import { memoryBoard } from './memory-board.js';
import type { Durable, Engine, KeptRun, KeptRunFilter, Program, ProgramCall, RunFound } from './journal.js';

interface MemoryRun {
  readonly kept: Map<string, Promise<string>>;
  readonly canceling: AbortController;
  readonly startedAt: Date;
  readonly resourceId: string | undefined;
  found: RunFound;
  endedAt?: Date;
}

/**
 * An engine that keeps runs in this process and nowhere else: for tests, and to try what durable runs are like. It is not durable.
 *
 * @example
 * const agent = new InterlockAgent({ name: 'support', model, durability: memoryEngine() });
 */
export const memoryEngine = (): Engine => ({
  name: 'memory',
  isDurable: false,
  host: (program) => {
    const runs = new Map<string, MemoryRun>();
    return {
      start: async (call) => {
        if (runs.has(call.runId)) return false;
        const run: MemoryRun = {
          kept: new Map(),
          canceling: new AbortController(),
          startedAt: new Date(),
          resourceId: call.resourceId,
          found: { kind: 'running' },
        };
        runs.set(call.runId, run);
        void execute(program, call, run);
        return true;
      },
      find: async (runId) => runs.get(runId)?.found ?? { kind: 'absent' },
      cancel: async (runId) => runs.get(runId)?.canceling.abort(),
      list: async ({ limit, ...filter }) =>
        [...runs]
          .filter(([runId, run]) => isListed({ runId, ...run }, filter))
          .map(([runId, run]) => listed(runId, run))
          .toReversed()
          .slice(0, limit),
      drop: async (runId) => void runs.delete(runId),
      board: memoryBoard(),
    };
  },
  close: async () => undefined,
});

const execute = async (program: Program, call: ProgramCall, run: MemoryRun): Promise<void> => {
  const durable: Durable = {
    step: (key, body) => {
      const persisted = run.kept.get(key) ?? body(durable);
      run.kept.set(key, persisted);
      return persisted;
    },
    canceled: run.canceling.signal,
  };
  run.found = await program.run(durable, call).then(
    (output): RunFound => ({ kind: 'ended', output }),
    (error: unknown): RunFound => ({ kind: 'lost', reason: String(error) }),
  );
  run.endedAt = new Date();
};

const isListed = (run: Pick<KeptRun, 'runId' | 'resourceId' | 'endedAt'>, filter: KeptRunFilter): boolean =>
  (filter.runId === undefined || run.runId === filter.runId) &&
  (filter.resourceId === undefined || run.resourceId === filter.resourceId) &&
  (filter.endedBefore === undefined || (run.endedAt !== undefined && run.endedAt < filter.endedBefore));

const listed = (runId: string, { found: { kind }, resourceId, startedAt, endedAt }: MemoryRun): KeptRun => ({
  runId,
  state: kind === 'absent' ? 'running' : kind,
  resourceId,
  startedAt,
  endedAt,
});
