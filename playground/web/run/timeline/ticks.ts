import type { Marker, MarkerKind } from '../../fold/markers.js';
import { linesUpTo } from '../../fold/fold-run.js';
import type { StudioEntry } from '../../../protocol/trace-entry.js';

/** A mark on the timeline: the most important of those at the same spot. */
export interface Tick extends Marker {
  /** From 0 at the first line to 1 at the last. */
  readonly place: number;
}

/** The number of distinguishable positions. */
const slots = 400;

const weights: Readonly<Record<MarkerKind, number>> = {
  trip: 7,
  unavailable: 6,
  error: 6,
  retry: 5,
  edit: 4,
  finish: 3,
  resume: 2,
  tool: 1,
};

/** The position of a line on the timeline: lines are evenly spaced, because many share a millisecond. */
export const placeOf = (entries: readonly StudioEntry[], seq: number): number =>
  entries.length < 2 ? 0 : Math.max(0, linesUpTo(entries, seq) - 1) / (entries.length - 1);

/** The line at a position. */
export const seqAt = (entries: readonly StudioEntry[], place: number): number => {
  const index = Math.round(Math.min(1, Math.max(0, place)) * (entries.length - 1));
  return entries[index]?.seq ?? 0;
};

/** The line `steps` further on, limited by the first and last line. */
export const seqAfter = (entries: readonly StudioEntry[], seq: number, steps: number): number => {
  const index = Math.min(entries.length - 1, Math.max(0, linesUpTo(entries, seq) - 1 + steps));
  return entries[index]?.seq ?? 0;
};

/** The most important marks, as many as a reader can distinguish. */
export const ticksOf = (entries: readonly StudioEntry[], markers: readonly Marker[]): Tick[] => {
  const bySlot = new Map<number, Tick>();
  for (const marker of markers) {
    const place = placeOf(entries, marker.seq);
    const slot = Math.round(place * slots);
    const known = bySlot.get(slot);
    if (!known || weights[marker.kind] > weights[known.kind]) bySlot.set(slot, { ...marker, place });
  }
  return [...bySlot.values()];
};
