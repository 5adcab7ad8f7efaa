/** Long answers that are heard, by what they go through. */
export const longRuns = ['no guards', '3 guards with a window', '3 guards of chunks'] as const;

export type LongRunName = (typeof longRuns)[number];
