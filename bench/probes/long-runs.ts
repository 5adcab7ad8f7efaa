/** Long answers that are heard, by what they go through. */
export const longRuns = ['interlock, no guards', 'interlock, 3 guards of chunks'] as const;

export type LongRunName = (typeof longRuns)[number];
