import type { Place, StudioEntry } from '../../../protocol/trace-entry.js';

/** A call of the model as a run recorded it. */
export interface RecordedCall extends Place {
  readonly chunks: number;
  readonly chars: number;
}

/** The calls of a run that brought words, in their order. */
export const callsIn = (entries: readonly StudioEntry[]): RecordedCall[] => {
  const calls = new Map<string, RecordedCall>();
  for (const entry of entries) {
    if (entry.kind !== 'came' || entry.part.chars === 0) continue;
    const { stepNumber, attempt, part } = entry;
    const key = `${stepNumber} ${attempt}`;
    const { chunks = 0, chars = 0 } = calls.get(key) ?? {};
    calls.set(key, { stepNumber, attempt, chunks: chunks + 1, chars: chars + part.chars });
  }
  return [...calls.values()];
};
