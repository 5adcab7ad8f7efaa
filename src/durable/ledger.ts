import type { Durable } from './journal.js';

/**
 * The ledger of an engine that identifies steps by their order: the parts of the step under way, and how many processes have
 * died during it.
 */
export interface Ledger {
  /** The stored result of a part; undefined if there is none. Raises {@link TakenOver} if another attempt has started. */
  find(part: string): Promise<string | undefined>;
  /** Stores the result of a part. Raises {@link TakenOver} if another process has stored one. */
  keep(part: string, text: string): Promise<void>;
  /** Records that a process continues the run after `steps` stored steps; returns the number of processes that died there. */
  countStart(steps: number): Promise<number>;
  /** Records that the run did not kill the process: it was interrupted. */
  uncountStart(): Promise<void>;
}

interface InParts {
  readonly ledger: Ledger;
  /** The step that contains the parts. */
  readonly step: string;
  readonly canceled: AbortSignal;
  /** Aborted when this process loses the run: work under way must stop, and its result is not stored. */
  readonly over: AbortSignal;
  readonly publish: Durable['publish'];
}

/** The inside of a step. Its parts are stored in the ledger, can run in parallel, and can have parts themselves. */
export const inParts = ({ ledger, step, canceled, over, publish }: InParts): Durable => ({
  step: async (key, run) => {
    const part = `${step} ${key}`;
    const known = await ledger.find(part);
    if (known !== undefined) return known;
    over.throwIfAborted();
    const text = await run(inParts({ ledger, step: part, canceled, over, publish }));
    over.throwIfAborted();
    await ledger.keep(part, text);
    return text;
  },
  publish,
  canceled,
});

/** Too many processes have died of a run, one after another, without completing a further step. */
export class DeadlyRun extends Error {
  override readonly name = 'DeadlyRun';

  constructor(deaths: number) {
    super(`${deaths} processes have died of it at the same place.`);
  }
}

/**
 * Waits for the turn of a run during which several processes died; returns a function that ends the turn. A process runs such runs one
 * at a time. If it dies, the run under way is guilty and the others are acquitted.
 */
export type Suspects = ReturnType<typeof createSuspects>;

export const createSuspects = () => {
  let last: Promise<void> = Promise.resolve();
  return async (): Promise<() => void> => {
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    await before;
    return resolve;
  };
};

/** The number of deaths that makes a run suspicious. One death may have another cause. */
const suspiciousDeaths = 2;

/** The recorded execution of a run in a process. */
export type Execution = ReturnType<typeof createExecution>;

type Counting = Pick<Ledger, 'countStart' | 'uncountStart'>;

export const createExecution = (ledger: Counting, maxDeaths: number, suspects: Suspects) => {
  const suspicious = Math.min(suspiciousDeaths, maxDeaths - 1);
  let hasStarted = false;
  let hasEnded = false;
  let isCounted = false;
  let pass = (): void => undefined;
  const count = async (steps: number): Promise<number> => {
    const deaths = await ledger.countStart(steps);
    isCounted = true;
    return deaths;
  };
  const interrupt = async (): Promise<void> => {
    if (!isCounted) return;
    isCounted = false;
    await ledger.uncountStart();
  };
  return {
    /**
     * Called before a step that is not stored yet, with the number of stored steps. Records the execution, once; a suspect waits for its turn
     * first. Raises {@link DeadlyRun}.
     */
    start: async (steps: () => number): Promise<void> => {
      if (hasStarted) return;
      hasStarted = true;
      const deaths = await count(steps());
      if (deaths >= maxDeaths) throw new DeadlyRun(deaths);
      if (suspicious < 1 || deaths < suspicious) return;
      await interrupt(); // a process that dies meanwhile does not die of this run
      pass = await suspects();
      if (hasEnded) {
        pass();
        throw new Error('The run has ended here.');
      }
      await count(steps());
    },
    /** A step was stored: the next suspect may continue. */
    pass: () => pass(),
    /** The run was interrupted and did not kill the process: its start does not count. */
    interrupt,
    /** The execution has ended. A suspect that still waits for its turn never starts. */
    end: (): void => {
      hasEnded = true;
      pass();
    },
  };
};
