import type { StudioEntry } from './trace-entry.js';

/**
 * The parts that a chunk retracts. An event reports the same if a guard retracted them, but not if their process
 * died in the middle of them.
 */
export const retractedBy = ({ part, data }: Extract<StudioEntry, { kind: 'left' }>): readonly string[] =>
  part.type === 'data-interlock-retract' ? ((data as { partIds?: readonly string[] } | undefined)?.partIds ?? []) : [];
