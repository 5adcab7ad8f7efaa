/**
 * The effect of a tool outside its run, which decides how a tool call is recovered after a crash.
 *
 * - `none`: it has no effects. It may run again, and its result is not stored by itself.
 * - `idempotent`: its receiver recognizes a repeated call by its key, see `idempotencyKeyOf`. A finished call never runs again; a
 *   call that was under way when its process died does.
 * - `once`: it never starts twice for one call. When a process dies during it, the outcome is unknown: the run suspends with
 *   `tool/unknown-outcome` until a person resolves it, see `resolveToolCall`.
 */
export type Effect = 'none' | 'idempotent' | 'once';

/** The effect of a tool that declares none. */
export const assumedEffect: Effect = 'idempotent';
