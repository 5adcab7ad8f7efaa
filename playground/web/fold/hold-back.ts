import type { StudioEntry } from '../../protocol/trace-entry.js';

/** How much of a part had come and left at one time. */
export interface HoldBackPoint {
  readonly seq: number;
  readonly at: number;
  readonly came: number;
  readonly left: number;
}

/** How a part was held back over time. */
export interface HoldBack {
  readonly partId: string;
  readonly kind: string;
  readonly stepNumber: number;
  readonly attempt: number;
  readonly points: readonly HoldBackPoint[];
  /** The most characters that were held at once. */
  readonly mostHeld: number;
}

interface Growing extends HoldBack {
  readonly points: HoldBackPoint[];
  mostHeld: number;
}

const ends = /-(start|delta|end)$/;

/** What of each part of a run came when and left when; parts without text are left out. */
export const holdBackOf = (entries: readonly StudioEntry[]): HoldBack[] => {
  const parts = new Map<string, Growing>();
  for (const entry of entries) {
    if (entry.kind !== 'came' && entry.kind !== 'left') continue;
    const { seq, at, stepNumber, attempt, part: note } = entry;
    if (note.partId === undefined || !ends.test(note.type)) continue;
    const key = `${stepNumber}/${attempt}/${note.partId}`;
    const part =
      parts.get(key) ??
      ({
        partId: note.partId,
        kind: note.type.replace(ends, ''),
        stepNumber,
        attempt,
        points: [],
        mostHeld: 0,
      } satisfies Growing);
    parts.set(key, part);
    const { came, left } = part.points.at(-1) ?? { came: 0, left: 0 };
    const point = entry.kind === 'came' ? { seq, at, came: came + note.chars, left } : { seq, at, came, left: left + note.chars };
    part.points.push(point);
    part.mostHeld = Math.max(part.mostHeld, point.came - point.left);
  }
  return [...parts.values()].filter(({ points }) => (points.at(-1)?.came ?? 0) > 0);
};
