import { isSamePart, snapshotParts, withResultOf, type PartSnapshot } from './part-snapshot.js';
import type { StepRecord } from './ports.js';
import type { Part } from './response.js';
import type { Attempt, ResponseStep, Run } from './run.js';
import { acceptedParts, followParts, responseParts, responseStep, withoutBody } from './step-record.js';
import { resend, type CurrentStep } from './resend.js';

/** A snapshot of the response before guards judge it, to compare with their version. */
export const snapshotResponse = (run: Run): readonly PartSnapshot[] => snapshotAgain(run, responseParts(run));

const snapshotAgain = (run: Run, parts: readonly Part[]): readonly PartSnapshot[] => {
  run.change({ lastParts: snapshotParts(parts, run.state.lastParts) });
  return run.state.lastParts;
};

interface FollowOptions {
  /** The call whose result was judged: the new result is not an edit. */
  readonly but?: string;
}

/**
 * Updates records and stream to the guards' version of the response, whichever step it belongs to. If parts were added to or removed from
 * several steps, their step is unknown: the last step then gets all parts from the first changed one.
 */
export const followResponse = async (run: Run, start: readonly PartSnapshot[], { but }: FollowOptions = {}): Promise<void> => {
  const all = responseParts(run);
  const now = snapshotAgain(run, all);
  const before = but === undefined ? start : start.map((part) => (part.id === but ? withResultOf(part, now) : part));
  const steps = stepsOf(run, before.length);
  const last = steps.at(-1);
  if (!last) return;
  if (now.length === before.length && isSameSlice(before, now, [0, now.length]))
    return followParts(run, last.record, { own: all.slice(now.length - last.partCount), all, isChanged: false });
  const shares = sharesOf(steps, before, now);
  let at = 0;
  const judged = steps.map((step, index): CurrentStep => {
    const { from, count } = shares[index] as Share; // one for each
    const was = before.slice(at, (at += step.partCount));
    const isChanged = step.partCount !== count || !isSameSlice(before, now, [from, from + count]);
    return { step, end: steps[index + 1]?.place, own: all.slice(from, from + count), before: was, isChanged };
  });
  const first = judged.findIndex(({ isChanged }) => isChanged);
  run.change({ editedFrom: Math.min(run.state.editedFrom ?? first, first) });
  for (const { step, own, isChanged } of judged) {
    if (isChanged || step === last) followParts(run, step.record, { own, all, isChanged });
    step.partCount = own.length;
  }
  for (const { record } of steps.slice(first + 1)) record.request = withoutBody(record.request); // it repeats the text
  await resend(run, judged);
  const attempt = underReview(run);
  if (attempt) Object.assign(attempt, { partCount: last.partCount, place: last.place });
};

const stepsOf = (run: Run, total: number): readonly ResponseStep[] => {
  const { accepted } = run.state;
  const attempt = underReview(run);
  return attempt ? [...accepted, { ...responseStep(attempt, attempt.record), partCount: total - acceptedParts(run) }] : accepted;
};

const underReview = ({ state: { attempt } }: Run): (Attempt & { record: StepRecord }) | undefined =>
  attempt?.record && !attempt.closed ? (attempt as Attempt & { record: StepRecord }) : undefined; // just checked

/** The parts of a step now. */
interface Share {
  readonly from: number;
  readonly count: number;
}

const sharesOf = (
  steps: readonly ResponseStep[],
  before: readonly PartSnapshot[],
  now: readonly PartSnapshot[],
): readonly Share[] => {
  const isSameShape = now.length === before.length;
  let from = 0;
  let isWhole = true;
  return steps.map(({ partCount }, index): Share => {
    const start = from;
    const isLast = index === steps.length - 1;
    isWhole &&= isSameShape || isSameSlice(before, now, [start, start + partCount]);
    const own = isLast ? now.length - start : isWhole ? partCount : 0;
    from += own;
    return { from: start, count: own };
  });
};

const isSameSlice = (before: readonly PartSnapshot[], now: readonly PartSnapshot[], [from, to]: [number, number]): boolean => {
  for (let at = from; at < to; at += 1) if (!isSamePart(before[at], now[at])) return false;
  return true;
};
