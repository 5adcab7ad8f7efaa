import type { RunEvent } from '../../schemas/index.js';

/** The kind of a verdict, as events say it. */
export type VerdictName = Extract<RunEvent, { type: 'guard' }>['verdict'];

/** Kinds of verdicts, the mildest first. */
const strictness: readonly VerdictName[] = ['pass', 'edit', 'retry', 'unavailable', 'trip'];

/** Whether one verdict is stricter than another. */
export const isStricter = (one: VerdictName, other: VerdictName): boolean => strictness.indexOf(one) > strictness.indexOf(other);
