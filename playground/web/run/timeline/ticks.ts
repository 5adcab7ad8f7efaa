import { severity, type Fact, type Tone } from '../../../fold/facts.js';
import { linesUpTo } from '../../../fold/fold-run.js';
import type { StudioEntry } from '../../../protocol/trace-entry.js';

/** A mark on the timeline: the most important of those at the same spot. */
export interface Tick {
  readonly fact: Fact;
  /** From 0 at the first line to 1 at the last. */
  readonly place: number;
}

/** The number of distinguishable positions. */
const slots = 400;

/** The position of a line on the timeline: lines are evenly spaced, because many share a millisecond. */
export const placeOf = (entries: readonly StudioEntry[], seq: number): number =>
  entries.length < 2 ? 0 : Math.max(0, linesUpTo(entries, seq) - 1) / (entries.length - 1);

/** The line `steps` further on, limited by the first and last line. */
export const seqAfter = (entries: readonly StudioEntry[], seq: number, steps: number): number => {
  const index = Math.min(entries.length - 1, Math.max(0, linesUpTo(entries, seq) - 1 + steps));
  return entries[index]?.seq ?? 0;
};

/** The most important facts, as many as a reader can distinguish. */
export const ticksOf = (entries: readonly StudioEntry[], facts: readonly Fact[]): Tick[] => {
  const bySlot = new Map<number, Tick>();
  for (const fact of facts) {
    const place = placeOf(entries, fact.seq);
    const slot = Math.round(place * slots);
    const known = bySlot.get(slot);
    if (!known || severity(fact) < severity(known.fact)) bySlot.set(slot, { fact, place });
  }
  return [...bySlot.values()];
};

/** The next fact of a tone after a line; wraps around at the end. A retraction belongs to its retry. */
export const nextFact = (facts: readonly Fact[], seq: number, tone: Tone): Fact | undefined => {
  const wanted = facts.filter((fact) => fact.tone === tone && fact.kind !== 'retraction');
  return wanted.find((fact) => fact.seq > seq) ?? wanted[0];
};
