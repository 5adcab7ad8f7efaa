/** Runs a subject once; gives how many units of work it saw, so that a run that did nothing cannot pass for a fast one. */
export type Work = () => Promise<number>;

/** What is compared: who works, through how many guards. */
export interface BenchCase {
  /** Unique; its first word says what is measured, e.g. `chunk interlock array 3`. */
  readonly name: string;
  /** Cases of one process are measured there one after another; others have a process each. */
  readonly process?: string;
  /** Chunks, steps, or messages of history, from small to large. */
  readonly sizes: readonly number[];
  /** Whether a quick run takes it in. */
  readonly quick: boolean;
  /** How many units one run of a size is: costs are told per unit. */
  readonly units: (size: number) => number;
  /** Loads the subject, in the child process alone, and readies a run of a size. */
  readonly load: () => Promise<(size: number) => Work>;
}

/** What a size of a case cost per unit in one sample, in microseconds. */
export interface Cost {
  readonly name: string;
  readonly size: number;
  readonly cpuUs: number;
  readonly wallUs: number;
}

/** How long work is run before it is measured: in stretches, until so many of them were no faster than those before. */
export interface WarmUp {
  /** CPU time of a stretch, in milliseconds; one run at least. */
  readonly stretchMs: number;
  readonly patience: number;
  /** CPU time of all stretches, in milliseconds; what is under way then is the last. */
  readonly mostMs: number;
}

/** How much a child does for its figures. */
export interface Effort {
  /** Of the first size of a case, and of the others, whose code is compiled by then. */
  readonly first: WarmUp;
  readonly further: WarmUp;
  /** How often each size is measured in one process, unless that takes longer than `enoughMs` of CPU time. */
  readonly samples: number;
  /** CPU time of one sample, in milliseconds; one run at least. */
  readonly sampleMs: number;
  readonly enoughMs: number;
  /** Sizes above this are left out. */
  readonly largest: number;
}
