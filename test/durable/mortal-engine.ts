import {
  TakenOver,
  type Board,
  type Durable,
  type Engine,
  type Program,
  type ProgramCall,
  type RunFound,
} from '../../src/durable/journal.js';
import { memoryBoard } from '../../src/durable/memory-engine.js';
import { isInterlockError } from '../../src/errors.js';

/** The data that survives a process: the runs, and their stored steps. */
export interface Disk {
  readonly runs: Map<
    string,
    { readonly call: ProgramCall; readonly kept: Map<string, string>; output?: string; isCanceled?: boolean; owner?: object }
  >;
  readonly board: ReturnType<typeof memoryBoard>;
  /** Stores records early. */
  readonly publish: Durable['publish'];
}

export const createDisk = (): Disk => {
  const board = memoryBoard();
  return { runs: new Map(), board, publish: async (append) => board.append(append) };
};

/** A process's view of a board during its lifetime. */
const boardWhile = (isAlive: () => boolean, board: Board): Board => ({
  read: async (...args) => (isAlive() ? board.read(...args) : []),
  marked: async (...args) => (isAlive() ? board.marked(...args) : []),
  pin: async (...args) => (isAlive() ? board.pin(...args) : undefined),
  pinned: () => board.pinned(),
});

/** A point at which a process may be killed: before a step, or after its end and before its result is stored. */
export interface Boundary {
  readonly key: string;
  readonly at: 'before' | 'unkept';
}

export interface MortalEngine extends Engine {
  /** The boundaries that the process has passed. */
  readonly passed: readonly Boundary[];
  /** Settles when the process is dead. */
  readonly died: Promise<void>;
  readonly isDead: boolean;
}

/**
 * An engine in a simulated process that is killed at one of its boundaries: from then on no pending call
 * settles, and nothing is stored.
 */
export const mortalEngine = (disk: Disk, dieAt = Infinity): MortalEngine => {
  const passed: Boundary[] = [];
  let isDead = false;
  let die: () => void = () => undefined;
  const died = new Promise<void>((resolve) => (die = resolve));
  const forever = new Promise<never>(() => undefined);
  const pass = async (boundary: Boundary): Promise<void> => {
    if (isDead) return forever;
    if (passed.length === dieAt) {
      isDead = true;
      die();
      return forever;
    }
    passed.push(boundary);
    return undefined;
  };
  const execute = async (program: Program, id: string): Promise<void> => {
    const run = disk.runs.get(id);
    if (!run || run.output !== undefined) return;
    const owner = (run.owner = {}); // like a process that takes a run over
    const canceling = new AbortController();
    if (run.isCanceled) canceling.abort();
    const durable: Durable = {
      step: async (key, body, records) => {
        const known = run.kept.get(key);
        if (known !== undefined) return known;
        await pass({ key, at: 'before' });
        const text = await body(durable);
        await pass({ key, at: 'unkept' });
        if (run.owner !== owner) throw new TakenOver();
        const append = records?.();
        if (append) disk.board.append(append);
        run.kept.set(key, text);
        return text;
      },
      publish: async (append) => {
        if (isDead) return forever;
        if (run.owner !== owner) throw new TakenOver();
        return disk.publish(append);
      },
      canceled: canceling.signal,
    };
    const output = await program.run(durable, run.call).catch((error: unknown) => {
      const waits = error instanceof TakenOver || isInterlockError(error, 'durable/unreadable'); // for a process that can go on
      if (!waits) throw error;
    });
    await pass({ key: 'output', at: 'before' });
    if (!isDead && run.owner === owner) run.output = output as string; // only a process that lost the run has none
  };
  return {
    name: 'mortal',
    isDurable: true,
    isFenced: true,
    passed,
    died,
    get isDead() {
      return isDead;
    },
    host: (program) => {
      for (const id of disk.runs.keys()) void execute(program, id);
      return {
        start: async (call) => {
          if (disk.runs.has(call.runId)) return false;
          disk.runs.set(call.runId, { call, kept: new Map() });
          void execute(program, call.runId);
          return true;
        },
        find: async (id): Promise<RunFound> => {
          if (isDead) return forever;
          const run = disk.runs.get(id);
          if (!run) return { kind: 'absent' };
          return run.output === undefined ? { kind: 'running' } : { kind: 'ended', output: run.output };
        },
        cancel: async (id) => void Object.assign(disk.runs.get(id) ?? {}, { isCanceled: true }),
        board: boardWhile(() => !isDead, disk.board),
      };
    },
    close: async () => undefined,
  };
};
