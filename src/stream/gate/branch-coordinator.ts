import type { TextPart } from './chunk.js';
import { append, rawOf, takeRaw, takeText, type Segment } from './segment.js';

/** A stretch that all branches of a block have cleared. */
export interface ClearedSegments {
  readonly lane: TextPart;
  /** As it came to the block. */
  readonly came: readonly Segment[];
  /** As each branch leaves it. */
  readonly versions: readonly (readonly Segment[])[];
}

/** What the branches of a block have cleared, text by text. */
export interface BranchCoordinator {
  /** Notes what comes to the block. */
  note(lane: TextPart, segment: Segment): void;
  /** A branch has cleared a stretch, or has come to a text's end. */
  clear(lane: TextPart, branch: number, segment: Segment): void;
  end(lane: TextPart): void;
  /** The next stretch that may go on, or the end of a text, which all have come to. */
  next(): ClearedSegments | { readonly ended: TextPart } | undefined;
}

interface BranchProgress {
  readonly lane: TextPart;
  readonly came: Segment[];
  readonly cleared: readonly Segment[][];
  /** For how many characters as they came each branch has cleared what was not passed on. */
  readonly lengths: number[];
  /** How many branches have come to its end. */
  ended: number;
}

/** Makes the coordinator of so many branches. No waiting, no clock. */
export const createBranchCoordinator = (branches: number): BranchCoordinator => {
  const progresses = new Map<TextPart, BranchProgress>();
  const open = (lane: TextPart): BranchProgress => {
    const each = Array.from({ length: branches });
    const made: BranchProgress = { lane, came: [], cleared: each.map(() => []), lengths: each.map(() => 0), ended: 0 };
    progresses.set(lane, made);
    return made;
  };
  const of = (lane: TextPart): BranchProgress => progresses.get(lane) ?? open(lane);
  const nextOf = (progress: BranchProgress): ReturnType<BranchCoordinator['next']> => {
    const { lane, came, cleared, lengths, ended } = progress;
    const length = commonEnd(progress);
    if (length > 0) {
      for (const branch of lengths.keys()) lengths[branch] = (lengths[branch] ?? 0) - length; // no branch's edit is cut
      return { lane, came: takeText(came, length), versions: cleared.map((segments) => takeRaw(segments, length)) };
    }
    if (ended < branches) return undefined;
    if (came.length > 0) return { lane, came: came.splice(0), versions: [] }; // what was edited away before it came here
    progresses.delete(lane);
    return { ended: lane };
  };
  return {
    note: (lane, segment) => append(of(lane).came, segment),
    clear: (lane, branch, segment) => {
      const { cleared, lengths } = of(lane);
      cleared[branch]?.push(segment);
      lengths[branch] = (lengths[branch] ?? 0) + segment.raw;
    },
    end: (lane) => void (of(lane).ended += 1),
    next: () => {
      for (const progress of progresses.values()) {
        const next = nextOf(progress);
        if (next) return next;
      }
      return undefined;
    },
  };
};

/** Whether nobody edited a stretch. */
export const isUntouched = ({ versions }: ClearedSegments): boolean =>
  versions.every((segments) => segments.every(({ isEdited }) => !isEdited));

/** What was merged, in place of what came. */
export const mergedSegment = ({ came }: ClearedSegments, text: string): Segment => {
  const [first = 0, last = first] = [came[0]?.first, came.at(-1)?.last];
  return { raw: rawOf(came), text, isEdited: true, first, last };
};

/** How far all branches have cleared a text, and none of them is in the middle of an edit. */
const commonEnd = ({ cleared, lengths }: BranchProgress): number => {
  let end = Math.min(...lengths);
  for (let before = -1; before !== end;) {
    before = end;
    for (const segments of cleared) end = Math.min(end, lastBorder(segments, end));
  }
  return end;
};

/** The last place up to `end` that is not inside an edited stretch. */
const lastBorder = (segments: readonly Segment[], end: number): number => {
  let at = 0;
  for (const { raw, isEdited } of segments) {
    if (at + raw > end) return isEdited ? at : end;
    at += raw;
  }
  return end;
};
