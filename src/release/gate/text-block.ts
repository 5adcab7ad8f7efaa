import { isPromise } from '../../phase/awaitable.js';
import type { PhaseData } from '../../phase/row.js';
import { settleBlock } from '../../pipeline/parallel.js';
import type { BlockPlace } from '../../pipeline/stream-plan.js';
import type { Verdict } from '../../verdict.js';
import type { Chunk, Lane } from './chunk.js';
import { append, rawOf, takeRaw, takeText, textOf, type Segment } from './segment.js';
import type { Gate, TextStage } from './text-stage.js';

/** One text between the branches of a block. */
interface Meeting {
  readonly lane: Lane;
  /** What each branch has cleared and the block has not passed on. */
  readonly cleared: readonly Segment[][];
  /** The text as it came to the block, as far as it was not passed on. */
  readonly came: Segment[];
  /** How many branches have come to its end. */
  ended: number;
}

/** Where the texts of a block meet. */
export interface BlockTexts {
  /** Notes what comes to the block. */
  note(lane: Lane, segment: Segment): void;
  /** Where a branch puts what it has cleared. */
  outOf(branch: number): TextStage;
}

/** The block, and which of its branches are asked about a text. */
export interface BlockOptions extends Pick<BlockPlace, 'block' | 'branches'> {
  isAsked(lane: Lane, branch: number): boolean;
}

/**
 * Puts together what the branches of a block clear: a text goes on as far as all of them have cleared it, never into the middle
 * of what one of them edited, and where branches edited it their edits are merged by the block's rule.
 */
export const createBlockTexts = ({ block, branches, isAsked }: BlockOptions, gate: Gate, next: TextStage): BlockTexts => {
  const meetings = new Map<string, Meeting>();
  let isBusy = false;
  const meetingOf = (lane: Lane): Meeting => {
    const known = meetings.get(lane.key);
    if (known) return known;
    const made: Meeting = { lane, cleared: branches.map(() => []), came: [], ended: 0 };
    meetings.set(lane.key, made);
    return made;
  };

  /** Passes on what all have cleared; false where it has to wait for a guard that is asked again. */
  const passOn = (meeting: Meeting): boolean => {
    const { lane, cleared } = meeting;
    const length = commonEnd(cleared);
    if (length === 0) return end(meeting);
    const came = takeText(meeting.came, length);
    const versions = cleared.map((segments) => takeRaw(segments, length));
    if (versions.every((segments) => segments.every(({ isEdited }) => !isEdited))) {
      for (const segment of came) next.add(lane, segment);
      return end(meeting);
    }
    const payload = (version: string): PhaseData<'outputStream'> => gate.payloadOf(lane.chunkOf(version));
    const asked = branches.map((_, index) => isAsked(lane, index));
    const settled = settleBlock({
      data: payload(textOf(came)),
      branches: branches.filter((_, index) => asked[index]),
      results: versions.filter((_, index) => asked[index]).map((segments) => payload(textOf(segments))),
      block,
      scope: gate.scope,
    });
    if (isPromise(settled)) {
      void wait(meeting, settled, came);
      return false;
    }
    take(meeting, came, settled);
    return end(meeting);
  };

  const end = (meeting: Meeting): boolean => {
    if (textOf(meeting.came) === '') for (const segment of meeting.came.splice(0)) next.add(meeting.lane, segment); // what was edited away
    if (meeting.ended < branches.length || meeting.came.length > 0) return true;
    meetings.delete(meeting.lane.key);
    next.end(meeting.lane);
    return true;
  };

  const take = ({ lane }: Meeting, came: readonly Segment[], verdict: Verdict<PhaseData<'outputStream'>>): void => {
    if (verdict.kind !== 'pass' && verdict.kind !== 'edit') return gate.stop(verdict);
    if (verdict.kind === 'pass') for (const segment of came) next.add(lane, segment);
    else next.add(lane, { raw: rawOf(came), text: textIn(verdict.data.part as Chunk | null), isEdited: true });
  };

  const wait = async (
    meeting: Meeting,
    settled: Promise<Verdict<PhaseData<'outputStream'>>>,
    came: readonly Segment[],
  ): Promise<void> => {
    isBusy = true;
    gate.begin();
    const verdict = await settled;
    isBusy = false;
    if (!gate.isStopping) take(meeting, came, verdict);
    for (const open of [...meetings.values()]) passAll(open);
    gate.done();
  };

  const passAll = (meeting: Meeting): void => {
    if (!isBusy && !gate.isStopping) passOn(meeting);
  };

  return {
    note: (lane, segment) => append(meetingOf(lane).came, segment),
    outOf: (branch) => ({
      add: (lane, segment) => {
        const meeting = meetingOf(lane);
        meeting.cleared[branch]?.push(segment);
        passAll(meeting);
      },
      end: (lane) => {
        const meeting = meetingOf(lane);
        meeting.ended += 1;
        passAll(meeting);
      },
      endStep: () => undefined, // told by whoever stands before the block
    }),
  };
};

const textIn = (part: Chunk | null): string => (part?.payload as { text?: string } | undefined)?.text ?? '';

/** How far all branches have cleared a text, and none of them is in the middle of an edit. */
const commonEnd = (cleared: readonly (readonly Segment[])[]): number => {
  let end = Math.min(...cleared.map(rawOf));
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
