import { InterlockError } from '../errors.js';

/** True for a text that `encrypted` has sealed: the id of its key, and the bytes. Texts that a program persists never have this form. */
export const isSealed = (text: string): boolean => /^[0-9a-f]{8}\.[A-Za-z0-9+/]+=*$/.test(text);

/** A run of a program, as the program sees it. The results of its steps survive its process. */
export interface Durable {
  /**
   * Returns a step's result as text. The step runs until its result is stored, and never again after that. Keys are unique
   * within a run. A step may contain steps: their results are stored even if the whole is not. Rejects if the result could not be
   * stored, or if the engine stops the run here; a program must let this error through.
   *
   * @param records called after the run of the step: the records that are stored together with its result, or not at all
   */
  step(key: string, run: (inner: Durable) => Promise<string>, records?: () => Append | undefined): Promise<string>;
  /**
   * Stores records before the step that produces them has ended, so that followers read them early. Retries for as long as this process
   * has the run. Returns the place of the first. Raises {@link TakenOver}.
   */
  publish(append: Append): Promise<number>;
  /** Aborted when a cancellation of the run is requested. */
  readonly canceled: AbortSignal;
  /** Aborted when the engine takes the run from this process: it must not wait here any longer. Undefined if an engine cannot tell. */
  readonly over?: AbortSignal;
  /** Checks for a cancellation between two steps, and aborts `canceled`. Undefined if no check is needed. */
  lookForCancel?(): Promise<void>;
  /**
   * Lets a run that has not started a step wait outside of this process. The engine runs it again, in any process, after `wake` was
   * called, at the latest at `until` (epoch milliseconds). Rejects once the run has left this process; settles if it is canceled
   * instead. Undefined if a waiting run costs the engine nothing.
   */
  waitOutside?(wait: OutsideWait): Promise<void>;
}

/** The wait of a run outside of its process. */
export interface OutsideWait {
  readonly until?: number | undefined;
  /** Called before the run leaves. The engine wakes the run itself after `withinMs` milliseconds. */
  onLeave(wake: () => void, withinMs: number): void;
}

/** A program that an engine runs. Its code outside of steps must be pure computation. */
export interface Program {
  /** The same in every process. */
  readonly id: string;
  /**
   * Set if the texts of its runs are encrypted. The store remembers it, and rejects the same program without encryption, see
   * {@link unencrypted}. Default: no.
   */
  readonly isEncrypted?: boolean;
  /** Returns the result of the run. It is called again, with the same input, in the process that continues the run. */
  run(durable: Durable, call: ProgramCall): Promise<string>;
}

/** The error of a process without a key whose program has encrypted runs in the store. */
export const unencrypted = ({ id }: Program): InterlockError =>
  new InterlockError('durable/unreadable', { path: id, detail: 'its runs are encrypted, and this process has no key for them.' });

/** One run of a program. */
export interface ProgramCall {
  readonly runId: string;
  readonly input: string;
}

/** The input of an engine when a run starts. Fields other than `input` are never encrypted. */
export interface StartCall extends ProgramCall {
  /** The resource that owns the run. */
  readonly resourceId?: string | undefined;
  /** Waiting runs with a higher priority start first. Default 0. */
  readonly priority?: number | undefined;
}

/** A run as an engine lists it. */
export interface PersistedRun {
  readonly runId: string;
  /** `queued`: none of its steps is stored yet, because it waits in the engine or in the queue of a process. */
  readonly state: 'queued' | 'running' | 'ended' | 'lost';
  readonly resourceId?: string | undefined;
  readonly startedAt: Date;
  readonly endedAt?: Date | undefined;
}

/** The input of a run and the results of its steps, in their order. */
export interface PersistedJournal {
  readonly input: string;
  readonly steps: readonly PersistedStep[];
}

export interface PersistedStep {
  readonly key: string;
  readonly text: string;
}

/** Selects the runs of a program that an engine lists. */
export interface PersistedRunFilter {
  readonly runId?: string | undefined;
  readonly resourceId?: string | undefined;
  /** Only runs that ended before this time. */
  readonly endedBefore?: Date | undefined;
  /** The maximum number of runs, latest first. Default: all. */
  readonly limit?: number | undefined;
}

/** The state of a program's run. */
export type RunFound =
  | { readonly kind: 'absent' }
  | { readonly kind: 'running' }
  | { readonly kind: 'ended'; readonly output: string }
  /** The engine itself gave the run up. */
  | { readonly kind: 'lost'; readonly reason: string };

/** The runs of one program on an engine, from outside. */
export interface ProgramRuns {
  /** Starts a run; returns false if the id is taken. */
  start(call: StartCall): Promise<boolean>;
  find(runId: string): Promise<RunFound>;
  /** Requests the cancellation of a run, which then ends itself. */
  cancel(runId: string): Promise<void>;
  /**
   * Continues a run that the engine gave up, from its journal; returns whether there was one. Absent if an engine does not
   * support it.
   */
  retry?(runId: string): Promise<boolean>;
  /**
   * Ends a run that is under way without running any of its code, whatever its process does. The run is then lost, and its stored data
   * remains. Returns whether there was one. Undefined if an engine does not support it.
   */
  abandon?(runId: string): Promise<boolean>;
  /** The stored journal of a run. Undefined if an engine cannot read it. */
  journal?(runId: string): Promise<PersistedJournal | undefined>;
  /** The runs, latest first. Undefined if the engine cannot list them. */
  list?(filter: PersistedRunFilter): Promise<readonly PersistedRun[]>;
  /** The size in bytes of everything that the engine stores, for all programs. Absent if it cannot be measured. */
  storedBytes?(): Promise<number>;
  /** Deletes the stored data of a run that has ended. */
  drop?(runId: string): Promise<void>;
  readonly board: Board;
}

/** The records of a program's runs, as followers read them, and the notes about its runs. */
export interface Board {
  /** The records of a run from a place on. The first has the place 0, and there are no gaps. */
  read(runId: string, from: number): Promise<readonly string[]>;
  /** The records of a run with a mark, in their order, found without reading the others. */
  marked(runId: string, mark: EntryMark): Promise<readonly PlacedEntry[]>;
  /**
   * Sets the note of a run, replacing an earlier one; `undefined` removes it. A process that has lost the run may still do so: a program notes
   * each wait under an id of its own.
   */
  pin(runId: string, note: string | undefined): Promise<void>;
  /** Deletes the records of a run. Absent if they are deleted by age. */
  drop?(runId: string): Promise<void>;
  /** All notes, latest first. */
  pinned(): Promise<readonly Pinned[]>;
}

/** Records that a process adds to a run. Only the process that has the run can add records. */
export interface Append {
  /** The run; its segments share their records. */
  readonly runId: string;
  /**
   * The place of the first one. Records that are there already are not added again, so an append can be repeated. Undefined for the first
   * append of a process: its records follow all others, and the next ones follow them.
   */
  readonly at?: number | undefined;
  readonly entries: readonly BoardEntry[];
}

/** Marks records that a reader needs even if it starts at a later one: the processes that have run the run, and its steps. */
export type EntryMark = 'life' | 'step';

/** A record of a run, before it is stored. */
export interface BoardEntry {
  readonly text: string;
  readonly mark?: EntryMark | undefined;
}

/** A record of a run, and its place. */
export interface PlacedEntry {
  readonly place: number;
  readonly text: string;
}

/** A note about a run. */
export interface Pinned {
  readonly runId: string;
  readonly note: string;
}

/** Another process has taken the run over. */
export class TakenOver extends Error {
  override readonly name = 'TakenOver';

  constructor() {
    super('Another process has taken the run over.');
  }
}

/** Runs programs so that they survive failures of processes. */
export interface Engine {
  /** The name in errors. */
  readonly name: string;
  /** Whether runs outlive their process. */
  readonly isDurable: boolean;
  /**
   * Whether a step's result is stored before the next step starts, and a process can store nothing more once another has taken
   * over its run. Tools with the effect `once` need it. Default: no.
   */
  readonly isFenced?: boolean;
  /** Runs a program's runs in this process from now on: new runs, and those that have not ended. */
  host(program: Program): ProgramRuns;
  /** Stops running programs in this process once the steps under way have ended. */
  close(): Promise<void>;
}

/** An operation of an engine. Raises `durable/unsupported-operation` if the engine does not have it. */
export const needed = <T>(operation: T | undefined, path: string): T => {
  if (!operation) throw new InterlockError('durable/unsupported-operation', { path });
  return operation;
};

/** The same runs, whose methods and those of the board raise translated errors. `translate` gets an error and the method's name. */
export const withErrors = (
  translate: (cause: unknown, name: string) => unknown,
  { board, ...runs }: ProgramRuns,
): ProgramRuns => {
  const translated = <T extends object>(methods: T): T =>
    Object.fromEntries(
      Object.entries(methods as Record<string, Method | undefined>).map(([name, method]) => [
        name,
        method &&
          (async (...args: unknown[]) => {
            try {
              return await method(...args);
            } catch (cause) {
              throw translate(cause, name);
            }
          }),
      ]),
    ) as T; // the same methods
  return { ...translated(runs), board: translated(board) };
};

type Method = (...args: unknown[]) => Promise<unknown>;
