/** Runs a subject once; gives how many units of work it saw, so that a run that did nothing cannot pass for a fast one. */
export type Work = () => Promise<number>;

/** One line of the report: a subject under one load, in sizes from small to large. */
export interface BenchCase {
  /** Unique; its first word says what is measured, e.g. `chunk interlock array 3`. */
  readonly name: string;
  /** Chunks, steps, or messages of history. */
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

/** How much a child does for its figures. */
export interface Effort {
  /** CPU time to warm up each size, in milliseconds. */
  readonly warmMs: number;
  /** How often each size is measured in one process. */
  readonly samples: number;
  /** CPU time of one sample, in milliseconds; one run at least. */
  readonly sampleMs: number;
  /** Sizes above this are left out. */
  readonly largest: number;
}
