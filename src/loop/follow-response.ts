import {
  isSamePart,
  snapshotParts,
  withResultOf,
  type PartSnapshot,
  changesWords,
  editedAgain,
  lateEdits,
  withEdits,
  wordsAgain,
  type Judged,
  type LateEdits,
} from './late-edits.js';
import type { Chunk, StepRecord } from './ports.js';
import type { Part, Span } from './response.js';
import type { Attempt, ResponseStep, Run } from './run.js';
import { acceptedParts, followParts, responseParts, responseStep, withoutBody } from './step-record.js';
import { freeId } from './part-ids.js';
import { agentChunk, publish, retract } from './emit.js';

/** A snapshot of the response before guards judge it, to compare with their version. */
export const snapshotResponse = (run: Run): readonly PartSnapshot[] => snapshotAgain(run, responseParts(run));

const snapshotAgain = (run: Run, parts: readonly Part[]): readonly PartSnapshot[] =>
  (run.lastParts = snapshotParts(parts, run.lastParts));

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
  if (last && now.length === before.length && isSameSlice(before, now, [0, now.length]))
    return followParts(run, last.record, { own: all.slice(now.length - last.partCount), all, isChanged: false });
  const shares = sharesOf(steps, before, now);
  const isChanged = shares.map(({ from, count }, index) => {
    return steps[index]?.partCount !== count || !isSameSlice(before, now, [from, from + count]);
  });
  let at = 0;
  const judged = steps.map((step, index): JudgedStep => {
    const { from, count } = shares[index] as Share; // one for each
    const [own, end] = [all.slice(from, from + count), steps[index + 1]?.place];
    const was = before.slice(at, (at += step.partCount));
    if (isChanged[index] || index === steps.length - 1)
      followParts(run, step.record, { own, all, isChanged: isChanged[index] === true });
    return { ...step, end, own, all, before: was };
  });
  const first = isChanged.indexOf(true);
  if (first !== -1) run.editedFrom = Math.min(run.editedFrom ?? first, first);
  if (first !== -1) for (const { record } of steps.slice(first + 1)) record.request = withoutBody(record.request); // it repeats the text
  if (first !== -1) await emitEdits(run, judged);
  for (const [index, step] of steps.entries()) step.partCount = (shares[index] as Share).count;
  const attempt = underReview(run);
  if (attempt) attempt.partCount = shares.at(-1)?.count ?? 0;
};

const stepsOf = (run: Run, total: number): readonly ResponseStep[] => {
  const { accepted } = run;
  const attempt = underReview(run);
  return attempt ? [...accepted, { ...responseStep(attempt, attempt.record), partCount: total - acceptedParts(run) }] : accepted;
};

const underReview = ({ attempt }: Run): (Attempt & { record: StepRecord }) | undefined =>
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

/** Updates the start and end of a step: the start repeats the request; the end repeats its text, its calls and the provider's metadata. */
const rewriteFor = (record: StepRecord): ((chunk: Chunk) => Chunk) => {
  const done = new Set<string>();
  return (chunk) => {
    const { type } = chunk;
    if (done.has(type) || (type !== 'step-start' && type !== 'step-finish')) return chunk;
    done.add(type); // later ones belong to the records of other attempts
    const { text, toolCalls, providerMetadata, request } = record;
    if (type === 'step-start') return { ...chunk, payload: { ...(chunk.payload as object), request } };
    const { output, metadata, ...payload } = chunk.payload as { output: object; metadata: object };
    const updated = { output: { ...output, text, toolCalls }, metadata: { ...metadata, request, providerMetadata } };
    return { ...chunk, payload: { ...payload, providerMetadata, ...updated } };
  };
};

/** A step whose response was judged as a whole. Its spans and part ids follow the edits. */
interface JudgedStep extends ResponseStep, Judged {
  readonly spans: Span[];
  /** Offset of the next step's first chunk. */
  readonly end: number | undefined;
}

/** A step whose chunks were emitted, and the guards' edits of it. */
interface EditedStep {
  readonly step: JudgedStep;
  readonly edits: LateEdits | undefined;
}

/**
 * Makes the stream match the steps as guards accepted them. Buffered chunks are edited in place. Emitted content is retracted and emitted
 * again in its current form. If text changes, all text from there on is emitted again, so that a reader gets it in order. A page without
 * part ids gets all text of the step, or of the run.
 */
const emitEdits = async (run: Run, steps: readonly JudgedStep[]): Promise<void> => {
  const all = steps.map((step): EditedStep => ({ step, edits: lateEdits(step) }));
  if (!all.some(({ edits }) => edits)) return;
  const edited: EditedStep[] = [];
  // The last step first, so that the offsets of the others stay valid.
  for (const one of all.toReversed()) if (!reviseBuffered(run, one)) edited.unshift(one);
  const first = edited.findIndex(({ edits }) => edits && changesWords(edits));
  const again = first === -1 ? [] : edited[first]?.step.end === undefined ? edited.slice(first) : edited;
  for (const one of edited) await retractEdits(run, one, again.includes(one));
  for (const one of edited) await publishAgain(run, one, again.includes(one));
};

/** Edits the buffered chunks of a step. Returns false if they are not buffered. */
const reviseBuffered = (run: Run, { step, edits }: EditedStep): boolean => {
  const { place, end, record } = step;
  const revise = (chunks: readonly Chunk[]) =>
    (edits ? withEdits(chunks, edits, () => newId(run, step)) : chunks).map(rewriteFor(record));
  return run.options.streamBuffer.revise(place, end, revise);
};

const newId = (run: Run, { partIds }: JudgedStep): string => {
  const id = freeId(run.usedPartIds, 'edited');
  partIds.add(id);
  return id;
};

const retractEdits = async (run: Run, { step, edits }: EditedStep, withWords: boolean): Promise<void> => {
  const { spans, partIds, place, end } = step;
  const words = withWords ? spans.map(({ id }) => id) : [];
  const others = [...(edits?.others.keys() ?? [])].filter((id): id is string => typeof id === 'string');
  const retractedIds = [...words, ...others].filter((id) => partIds.has(id));
  for (const id of retractedIds) partIds.delete(id);
  const wordScope = end === undefined ? 'words' : 'earlier-words';
  await retract(run, { partIds: retractedIds, place, scope: withWords ? wordScope : 'parts' });
};

const publishAgain = async (run: Run, { step, edits }: EditedStep, withWords: boolean): Promise<void> => {
  const base = agentChunk(run, '', undefined);
  if (withWords) {
    const { spans, chunks } = wordsAgain(step.own, () => newId(run, step), base);
    step.spans.splice(0, step.spans.length, ...spans);
    for (const chunk of chunks) await publish(run, chunk);
  }
  for (const chunk of edits ? editedAgain(edits, base) : []) {
    const { toolCallId } = chunk.payload as { toolCallId?: string };
    if (toolCallId !== undefined) step.partIds.add(toolCallId);
    await publish(run, chunk);
  }
};
