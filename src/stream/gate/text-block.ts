import { isPromise, type Awaitable } from '../../phase/awaitable.js';
import type { PhaseData } from '../../phase/row.js';
import { settleBlock } from '../../pipeline/parallel.js';
import type { BlockPlace } from '../../pipeline/stream-plan.js';
import { isStop, type Verdict } from '../../verdict.js';
import type { Chunk, TextPart } from './chunk.js';
import { createBranchCoordinator, isUntouched, mergedSegment, type ClearedSegments } from './branch-coordinator.js';
import { textOf, type Segment } from './segment.js';
import type { Gate, TextStage } from './text-stage.js';

type StreamVerdict = Verdict<PhaseData<'outputStream'>>;

/** Where the texts of a block meet. */
export interface BlockTexts {
  /** Notes what comes to the block. */
  note(lane: TextPart, segment: Segment): void;
  /** Where a branch puts what it has cleared. */
  outOf(branch: number): TextStage;
}

/** The block, and which of its branches are asked about a text. */
export interface BlockOptions extends Pick<BlockPlace, 'block' | 'branches'> {
  isAsked(lane: TextPart, branch: number): boolean;
}

/**
 * Puts together what the branches of a block clear: a text goes on as far as all of them have cleared it, never into the middle
 * of what one of them edited, and where branches edited it their edits are merged by the block's rule.
 */
export const createBlockTexts = (options: BlockOptions, gate: Gate, next: TextStage): BlockTexts => {
  const meetings = createBranchCoordinator(options.branches.length);
  let isBusy = false;
  let hasStopped = false;

  const take = (met: ClearedSegments, verdict: StreamVerdict, at?: number): void => {
    if (isStop(verdict)) {
      hasStopped = true;
      return gate.stop(verdict, at);
    }
    if (verdict.kind === 'edit') return next.add(met.lane, mergedSegment(met, textIn(verdict.data.part as Chunk | null)));
    for (const segment of met.came) next.add(met.lane, segment);
    return undefined;
  };
  const wait = async (met: ClearedSegments, settled: Promise<StreamVerdict>): Promise<void> => {
    isBusy = true;
    const at = met.came.at(-1)?.last ?? gate.place;
    gate.begin(at);
    const verdict = await settled;
    isBusy = false;
    gate.handOut(() => {
      take(met, verdict, at);
      passOn();
    });
    gate.done(at);
  };
  const passOn = (): void => {
    for (let met = nextOf(); met; met = nextOf()) {
      if ('ended' in met) next.end(met.ended);
      else {
        const settled: Awaitable<StreamVerdict> = isUntouched(met) ? { kind: 'pass' } : merged(met, options, gate);
        if (isPromise(settled)) return void wait(met, settled);
        take(met, settled);
      }
    }
  };
  const nextOf = () => (isBusy || hasStopped || gate.isStopped ? undefined : meetings.next());

  return {
    note: (lane, segment) => meetings.note(lane, segment),
    outOf: (branch) => ({
      add: (lane, segment) => {
        meetings.clear(lane, branch, segment);
        passOn();
      },
      end: (lane) => {
        meetings.end(lane);
        passOn();
      },
      endStep: () => undefined, // told by whoever stands before the block
    }),
  };
};

/** The branches' edits of a stretch as one; those who passed may be asked again, as in any block. */
const merged = (
  { lane, came, versions }: ClearedSegments,
  { block, branches, isAsked }: BlockOptions,
  gate: Gate,
): Awaitable<StreamVerdict> => {
  const payload = (segments: readonly Segment[]) => gate.payloadOf(lane.chunkOf(textOf(segments)));
  const asked = branches.map((_, index) => isAsked(lane, index));
  return settleBlock({
    data: payload(came),
    branches: branches.filter((_, index) => asked[index]),
    results: versions.filter((_, index) => asked[index]).map(payload),
    block,
    scope: gate.scope,
  });
};

const textIn = (part: Chunk | null): string => (part?.payload as { text?: string } | undefined)?.text ?? '';
