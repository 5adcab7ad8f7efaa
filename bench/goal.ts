/** A promise about cost, and what was measured. */
export interface Goal {
  readonly says: string;
  /** The figure that is compared; undefined where this run did not measure it. */
  readonly measured: number | undefined;
  readonly atMost: number;
  /** What the figure is given in. Default: a ratio. */
  readonly unit?: string;
}
