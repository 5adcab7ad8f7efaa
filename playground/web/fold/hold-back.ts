import type { StudioEntry } from '../../protocol/trace-entry.js';

/** The arrived and released amounts of a part at one time. */
export interface HoldBackPoint {
  readonly seq: number;
  readonly at: number;
  readonly receivedChars: number;
  readonly emittedChars: number;
  /** Characters that had arrived and could still leave; edits that change the length of a text are included. */
  readonly held: number;
}

/** The buffering of a part over time. */
export interface HoldBack {
  readonly partId: string;
  readonly kind: string;
  readonly stepNumber: number;
  readonly attempt: number;
  readonly points: readonly HoldBackPoint[];
  /** The maximum number of buffered characters. */
  readonly mostHeld: number;
}

interface Growing extends HoldBack {
  readonly points: HoldBackPoint[];
  mostHeld: number;
}

const ends = /-(start|delta|end)$/;

/** The times at which each part of a run arrived and left; parts without text are left out. */
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
    const before = part.points.at(-1) ?? { receivedChars: 0, emittedChars: 0 };
    const receivedChars = before.receivedChars + (entry.kind === 'came' ? note.chars : 0);
    const emittedChars = before.emittedChars + (entry.kind === 'left' ? note.chars : 0);
    const isWhole = entry.kind === 'left' && note.type.endsWith('-end');
    const held = isWhole ? 0 : Math.max(0, receivedChars - emittedChars);
    part.points.push({ seq, at, receivedChars, emittedChars, held });
    part.mostHeld = Math.max(part.mostHeld, held);
  }
  return [...parts.values()].filter(({ points }) => (points.at(-1)?.receivedChars ?? 0) > 0);
};
