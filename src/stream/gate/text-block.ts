import { isPromise, type Awaitable } from '../../phase/awaitable.js';
import { computed } from '../../phase/plain-data.js';
import type { PhaseData } from '../../phase/row.js';
import { settleBlock } from '../../pipeline/parallel.js';
import type { BlockPlace } from '../../pipeline/stream-plan.js';
import { isStop, type Verdict } from '../../verdict.js';
import { chunkIn, type Chunk, type TextPart } from './chunk.js';
import { append, editedSegment, takeRaw, takeText, textOf, type Segment } from './segment.js';
import type { Gate, TextStage } from './stages.js';

type StreamVerdict = Verdict<PhaseData<'outputStream'>>;

/** The block, and the branches that judge a text. */
interface BlockOptions extends Pick<BlockPlace, 'block' | 'branches'> {
  isJudgedBy(lane: TextPart, branch: number): boolean;
}

/**
 * Joins the segments that the branches of a block clear. A text is passed on as far as all branches have cleared it, never into the
 * middle of an edit. If several branches edited it, their edits are merged by the block's rule.
 */
export const createBlockTexts = (options: BlockOptions, gate: Gate, next: TextStage) => {
  const coordinator = createBranchCoordinator(options.branches.length);
  let isBusy = false;
  let hasStopped = false;

  const take = (cleared: ClearedSegments, verdict: StreamVerdict, at?: number): void => {
    if (isStop(verdict)) {
      hasStopped = true;
      return gate.stop(verdict, at);
    }
    if (verdict.kind === 'edit') return next.add(editedSegment(cleared.input, textIn(chunkIn(verdict.data))));
    for (const segment of cleared.input) next.add(segment);
    return undefined;
  };
  const wait = async (cleared: ClearedSegments, settled: Promise<StreamVerdict>): Promise<void> => {
    isBusy = true;
    const at = cleared.input.at(-1)?.last ?? gate.place;
    gate.start(at);
    const verdict = await settled;
    isBusy = false;
    gate.handOut(() => {
      take(cleared, verdict, at);
      passOn();
    });
    gate.done(at);
  };
  const passOn = (): void => {
    for (let cleared = nextOf(); cleared; cleared = nextOf()) {
      if ('ended' in cleared) next.end(cleared.ended);
      else {
        const settled: Awaitable<StreamVerdict> = isUntouched(cleared) ? { kind: 'pass' } : merged(cleared, options, gate);
        if (isPromise(settled)) return void wait(cleared, settled);
        take(cleared, settled);
      }
    }
  };
  const nextOf = () => (isBusy || hasStopped || gate.isStopped ? undefined : coordinator.next());

  return {
    /** Records the block's input. */
    addInput: coordinator.addInput,
    /** The stage that receives the segments cleared by a branch. */
    outOf: (branch: number): TextStage => ({
      add: (segment) => {
        coordinator.clear(branch, segment);
        passOn();
      },
      end: (lane) => {
        coordinator.end(lane);
        passOn();
      },
      endStep: () => undefined, // reported by the stage before the block
    }),
  };
};

/** Merges the branches' edits of a segment; branches that passed may judge again, as in any block. */
const merged = (
  { lane, input, versions }: ClearedSegments,
  { block, branches, isJudgedBy }: BlockOptions,
  gate: Gate,
): Awaitable<StreamVerdict> => {
  const payload = (segments: readonly Segment[]) => gate.payloadOf(lane.chunkOf(textOf(segments)));
  const judgedBy = branches.map((_, index) => isJudgedBy(lane, index));
  return settleBlock({
    data: payload(input),
    branches: branches.filter((_, index) => judgedBy[index]),
    results: versions.filter((_, index) => judgedBy[index]).map(payload),
    block,
    scope: gate.scope,
  });
};

const textIn = (part: Chunk | null | undefined): string => (part?.payload as { text?: string } | undefined)?.text ?? '';

/** Segments that all branches of a block have cleared. */
interface ClearedSegments {
  readonly lane: TextPart;
  /** The block's input. */
  readonly input: readonly Segment[];
  /** Each branch's version. */
  readonly versions: readonly (readonly Segment[])[];
}

interface BranchProgress {
  readonly lane: TextPart;
  readonly input: Segment[];
  readonly cleared: readonly Segment[][];
  /** For each branch, the number of original characters that it cleared and that were not passed on. */
  readonly lengths: number[];
  /** The number of branches that have reached its end. */
  ended: number;
}

/** Creates the coordinator of the branches. No waiting, no clock. */
const createBranchCoordinator = (branches: number) => {
  const progresses = new Map<TextPart, BranchProgress>();
  const of = (lane: TextPart): BranchProgress =>
    computed(progresses, lane, () => {
      const each = Array.from({ length: branches });
      return { lane, input: [], cleared: each.map(() => []), lengths: each.map(() => 0), ended: 0 };
    });
  const nextOf = (progress: BranchProgress): ClearedSegments | { readonly ended: TextPart } | undefined => {
    const { lane, input, cleared, lengths, ended } = progress;
    const length = commonEnd(progress);
    if (length > 0) {
      for (const branch of lengths.keys()) lengths[branch] = (lengths[branch] ?? 0) - length; // splits no branch's edit
      return { lane, input: takeText(input, length), versions: cleared.map((segments) => takeRaw(segments, length)) };
    }
    if (ended < branches) return undefined;
    if (input.length > 0) return { lane, input: input.splice(0), versions: [] }; // text removed before the block
    progresses.delete(lane);
    return { ended: lane };
  };
  return {
    /** Records the block's input. */
    addInput: (segment: Segment) => append(of(segment.lane).input, segment),
    /** Records that a branch has cleared a segment, or reached a text's end. */
    clear: (branch: number, segment: Segment) => {
      const { cleared, lengths } = of(segment.lane);
      cleared[branch]?.push(segment);
      lengths[branch] = (lengths[branch] ?? 0) + segment.raw;
    },
    end: (lane: TextPart) => void (of(lane).ended += 1),
    /** The next segments to pass on, or the end of a text that all branches have reached. */
    next: () => {
      for (const progress of progresses.values()) {
        const next = nextOf(progress);
        if (next) return next;
      }
      return undefined;
    },
  };
};

/** Whether no branch edited a segment. */
const isUntouched = ({ versions }: ClearedSegments): boolean =>
  versions.every((segments) => segments.every(({ isEdited }) => !isEdited));

/** The length that all branches have cleared, outside any edit. */
const commonEnd = ({ cleared, lengths }: BranchProgress): number => {
  let end = Math.min(...lengths);
  for (let before = -1; before !== end;) {
    before = end;
    for (const segments of cleared) end = Math.min(end, lastBorder(segments, end));
  }
  return end;
};

/** The last offset up to `end` that is not inside an edited segment. */
const lastBorder = (segments: readonly Segment[], end: number): number => {
  let at = 0;
  for (const { raw, isEdited } of segments) {
    if (at + raw > end) return isEdited ? at : end;
    at += raw;
  }
  return end;
};
