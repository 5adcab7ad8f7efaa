/**
 * What a tool does outside its run, and so what may become of it where a run outlives its process.
 *
 * - `none`: it only looks. It may run again, and is not kept by itself.
 * - `idempotent`: its receiver knows a second call by its key, see `idempotencyKeyOf`. One that has finished never runs again; one that
 *   had begun when its process died does.
 * - `once`: it is never begun twice for a call. Where a process died in the middle of it, nobody knows whether it was done: the run waits
 *   for a person with `tool/unknown-outcome`, see `resolveToolCall`.
 */
export type Effect = 'none' | 'idempotent' | 'once';

/** What is taken for the effect of a tool of which nothing is said. */
export const assumedEffect: Effect = 'idempotent';
