import type { StudioEntry } from './trace-entry.js';

/**
 * The parts that a chunk withdraws. An event says the same where a guard took them back; where their process died in the midst of them, no
 * event does.
 */
export const retractedBy = ({ part, data }: Extract<StudioEntry, { kind: 'left' }>): readonly string[] =>
  part.type === 'data-interlock-retract' ? ((data as { partIds?: readonly string[] } | undefined)?.partIds ?? []) : [];
