/** A run of a program, as far as the program sees it: whatever happens to its process, what its steps gave is kept. */
export interface Durable {
  /**
   * Gives what a step gives, as text. It is run at least once until that is kept, and never again after. Keys are the step's own in its
   * run. A step may be made of steps: what those gave is kept where the whole is not. Rejects where it could not be kept, or the engine
   * wants the run to stand still here; a program lets this through.
   */
  step(key: string, run: (inner: Durable) => Promise<string>): Promise<string>;
  /** Aborted when somebody asked for the run to be canceled. */
  readonly canceled: AbortSignal;
}

/** What an engine runs. Between its steps it does nothing but compute. */
export interface Program {
  /** The same in every process. */
  readonly id: string;
  /** Gives what the run ends with. It is called again, with the same input, in whatever process goes on with the run. */
  run(durable: Durable, call: ProgramCall): Promise<string>;
}

/** One run of a program. */
export interface ProgramCall {
  readonly runId: string;
  readonly input: string;
}

/** What an engine receives when a run starts. Fields other than the input are never encrypted. */
export interface StartCall extends ProgramCall {
  /** Whose run it is. */
  readonly resourceId?: string | undefined;
  /** Of the runs that wait in the engine those with a higher priority are taken up first. Default 0. */
  readonly priority?: number | undefined;
}

/** A run as an engine lists it. */
export interface KeptRun {
  readonly runId: string;
  readonly state: 'queued' | 'running' | 'ended' | 'lost';
  readonly resourceId?: string | undefined;
  readonly startedAt: Date;
  readonly endedAt?: Date | undefined;
}

/** What a run began with, and what its steps gave, in their order. */
export interface KeptJournal {
  readonly input: string;
  readonly steps: readonly KeptStep[];
}

export interface KeptStep {
  readonly key: string;
  readonly text: string;
}

/** Which runs of a program an engine lists. */
export interface KeptRunFilter {
  readonly runId?: string | undefined;
  readonly resourceId?: string | undefined;
  /** Those that ended before a time. */
  readonly endedBefore?: Date | undefined;
  /** How many at most, the last ones. Default: all. */
  readonly limit?: number | undefined;
}

/** Where a run of a program stands. */
export type RunFound =
  | { readonly kind: 'absent' }
  | { readonly kind: 'running' }
  | { readonly kind: 'ended'; readonly output: string }
  /** The engine itself gave it up. */
  | { readonly kind: 'lost'; readonly reason: string };

/** The runs of one program on an engine, from outside. */
export interface ProgramRuns {
  /** Begins a run; says whether there was none under this id. */
  start(call: StartCall): Promise<boolean>;
  find(runId: string): Promise<RunFound>;
  /** Asks for a run to be canceled; it ends itself. */
  cancel(runId: string): Promise<void>;
  /** Continues a run that the engine gave up, from what is kept of it; says whether there was one. Absent where an engine cannot. */
  retry?(runId: string): Promise<boolean>;
  /**
   * Ends a run that is under way without running anything of it, whatever its process does: it is lost then, and what is kept of it stays. Says
   * whether there was one. Absent where an engine cannot.
   */
  abandon?(runId: string): Promise<boolean>;
  /** What is kept of a run. Absent where an engine cannot read it. */
  journal?(runId: string): Promise<KeptJournal | undefined>;
  /** The runs, the last one first. Absent where the engine cannot list them. */
  list?(filter: KeptRunFilter): Promise<readonly KeptRun[]>;
  /** Bytes that everything takes which the engine keeps, whatever program it is of. Absent where it cannot tell. */
  storedBytes?(): Promise<number>;
  /** Deletes what is kept of a run that has ended. */
  drop?(runId: string): Promise<void>;
  /** Absent where an engine has none: what a run shows is then seen in the process where it goes on. */
  readonly board?: Board;
}

/** What the processes of a program tell each other of its runs, beside their journals. Nothing that a run does hangs on it. */
export interface Board {
  /** Adds entries to those of a run, all of them or none, in their order. Returns the place of the first. */
  append(runId: string, entries: readonly BoardEntry[]): Promise<number>;
  /** The entries of a run from a place on. The first has the place 0, and there are no gaps. */
  read(runId: string, from: number): Promise<readonly string[]>;
  /** The entries of a run with a mark, in their order: found without reading the others. */
  marked(runId: string, mark: EntryMark): Promise<readonly PlacedEntry[]>;
  /** Puts a note up for a run in place of the one that was there, or takes it down. */
  pin(runId: string, note: string | undefined): Promise<void>;
  /** Deletes the entries of a run. Absent where they are deleted by age. */
  drop?(runId: string): Promise<void>;
  /** The notes that are up, the last one first. */
  pinned(): Promise<readonly Pinned[]>;
}

/** What a reader who does not begin with the first entry has to know of those before: which processes took the run up, and the steps. */
export type EntryMark = 'life' | 'step';

/** An entry of a run on its way to the board. */
export interface BoardEntry {
  readonly text: string;
  readonly mark?: EntryMark | undefined;
}

/** An entry of a run, and its place. */
export interface PlacedEntry {
  readonly place: number;
  readonly text: string;
}

/** A note about a run. */
export interface Pinned {
  readonly runId: string;
  readonly note: string;
}

/** Runs programs so that they outlive what happens to processes. */
export interface Engine {
  /** As it is called in errors. */
  readonly name: string;
  /** Whether a run outlives its process. */
  readonly isDurable: boolean;
  /**
   * Whether what a step gave is kept before the next step begins, and nothing more is kept of a process once another has taken over its run.
   * Tools whose effect is to be had once need it. Default: no.
   */
  readonly isFenced?: boolean;
  /** Runs a program's runs in this process from now on: those that begin, and those that are not ended. */
  host(program: Program): ProgramRuns;
  /** Runs nothing more in this process, once the steps under way have ended. */
  close(): Promise<void>;
}
