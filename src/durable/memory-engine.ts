import type {
  Durable,
  Engine,
  PersistedRun,
  PersistedRunFilter,
  Program,
  ProgramCall,
  RunFound,
  Append,
  Board,
  BoardEntry,
} from './journal.js';

interface MemoryRun {
  readonly input: string;
  /** Aborted if the run was abandoned. */
  readonly over: AbortController;
  /** The results of the completed steps, in order of completion. */
  readonly steps: Map<string, string>;
  readonly kept: Map<string, Promise<string>>;
  readonly canceling: AbortController;
  readonly startedAt: Date;
  readonly resourceId: string | undefined;
  found: RunFound;
  endedAt?: Date;
}

/**
 * An engine that stores runs only in the memory of this process: for tests, and to try out durable runs. It is not durable.
 *
 * @example
 * const agent = new InterlockAgent({ name: 'support', model, durability: memoryEngine() });
 */
export const memoryEngine = (): Engine => ({
  name: 'memory',
  isDurable: false,
  host: (program) => {
    const runs = new Map<string, MemoryRun>();
    const board = memoryBoard();
    const begin = (runId: string, start: Pick<MemoryRun, 'input' | 'steps' | 'startedAt' | 'resourceId'>): true => {
      const run: MemoryRun = {
        ...start,
        over: new AbortController(),
        kept: new Map([...start.steps].map(([key, text]) => [key, Promise.resolve(text)])),
        canceling: new AbortController(),
        found: { kind: 'running' },
      };
      runs.set(runId, run);
      void execute(program, { runId, input: run.input }, { run, board });
      return true;
    };
    return {
      start: async ({ runId, input, resourceId }) =>
        !runs.has(runId) && begin(runId, { input, resourceId, steps: new Map(), startedAt: new Date() }),
      retry: async (runId) => {
        const run = runs.get(runId);
        if (run?.found.kind !== 'lost') return false;
        const { input, steps, startedAt, resourceId } = run;
        return begin(runId, { input, steps, startedAt, resourceId });
      },
      find: async (runId) => runs.get(runId)?.found ?? { kind: 'absent' },
      cancel: async (runId) => runs.get(runId)?.canceling.abort(),
      abandon: async (runId) => {
        const run = runs.get(runId);
        if (run?.found.kind !== 'running') return false;
        run.found = { kind: 'lost', reason: 'it was abandoned.' };
        run.endedAt = new Date();
        run.over.abort(new Error('The run was abandoned.'));
        run.canceling.abort(); // work under way stops, and its result is not stored
        return true;
      },
      journal: async (runId) => {
        const run = runs.get(runId);
        return run && { input: run.input, steps: [...run.steps].map(([key, text]) => ({ key, text })) };
      },
      list: async ({ limit, ...filter }) =>
        [...runs]
          .filter(([runId, run]) => isListed({ runId, ...run }, filter))
          .map(([runId, run]) => listed(runId, run))
          .toReversed()
          .slice(0, limit),
      drop: async (runId) => void runs.delete(runId),
      board,
    };
  },
  close: async () => undefined,
});

const execute = async (program: Program, call: ProgramCall, { run, board }: { run: MemoryRun; board: MemoryBoard }) => {
  const keep: Durable['step'] = async (key, body, records) => {
    const text = await body(durable);
    run.over.signal.throwIfAborted();
    const append = records?.();
    if (append) board.append(append);
    run.steps.set(key, text);
    return text;
  };
  const durable: Durable = {
    step: (key, body, records) => {
      if (run.over.signal.aborted) return Promise.reject(run.over.signal.reason as Error);
      const persisted = run.kept.get(key) ?? keep(key, body, records);
      run.kept.set(key, persisted);
      return persisted;
    },
    publish: async (append) => {
      run.over.signal.throwIfAborted();
      return board.append(append);
    },
    canceled: run.canceling.signal,
  };
  const found = await program.run(durable, call).then(
    (output): RunFound => ({ kind: 'ended', output }),
    (error: unknown): RunFound => ({ kind: 'lost', reason: String(error) }),
  );
  if (run.over.signal.aborted) return;
  run.found = found;
  run.endedAt = new Date();
};

const isListed = (run: Pick<PersistedRun, 'runId' | 'resourceId' | 'endedAt'>, filter: PersistedRunFilter): boolean =>
  (filter.runId === undefined || run.runId === filter.runId) &&
  (filter.resourceId === undefined || run.resourceId === filter.resourceId) &&
  (filter.endedBefore === undefined || (run.endedAt !== undefined && run.endedAt < filter.endedBefore));

const listed = (runId: string, { found: { kind }, steps, resourceId, startedAt, endedAt }: MemoryRun): PersistedRun => ({
  runId,
  state: kind === 'ended' || kind === 'lost' ? kind : steps.size > 0 ? 'running' : 'queued',
  resourceId,
  startedAt,
  endedAt,
});

/** The records and notes of runs in the memory of this process. */
type MemoryBoard = Board & {
  /** Returns the place of the first record. */
  append(append: Append): number;
};

export const memoryBoard = (): MemoryBoard => {
  const runs = new Map<string, BoardEntry[]>();
  const notes = new Map<string, string>();
  const of = (runId: string): readonly BoardEntry[] => runs.get(runId) ?? [];
  return {
    append: ({ runId, at, entries }) => {
      const known = runs.get(runId) ?? [];
      const place = at ?? known.length;
      known.push(...entries.slice(known.length - place));
      runs.set(runId, known);
      return place;
    },
    read: async (runId, from) =>
      of(runId)
        .slice(from)
        .map(({ text }) => text),
    marked: async (runId, wanted) => of(runId).flatMap(({ text, mark }, place) => (mark === wanted ? [{ place, text }] : [])),
    pin: async (runId, note) => {
      notes.delete(runId);
      if (note !== undefined) notes.set(runId, note);
    },
    drop: async (runId) => void runs.delete(runId),
    pinned: async () => [...notes].map(([runId, note]) => ({ runId, note })).toReversed(),
  };
};
