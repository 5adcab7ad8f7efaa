import type { StudioEntry } from '../../protocol/trace-entry.js';

/** An entry before it has its number and time. */
export type EntryFact = StudioEntry extends infer E ? (E extends StudioEntry ? Omit<E, 'seq' | 'at'> : never) : never;
