import type { Span } from './response.js';
import { changesWords, editedAgain, lateEdits, withEdits, wordsAgain, type Judged, type LateEdits } from './late-edits.js';
import { freeId } from './part-ids.js';
import type { Chunk } from './ports.js';
import { agentChunk, publish } from './emit.js';
import { retract } from './retract.js';
import type { Run } from './run.js';

/** A step whose response was judged as a whole. */
export interface JudgedStep extends Judged {
  /** Updated by the edits. */
  readonly spans: Span[];
  /** Offset of its first chunk; `end` is the offset of the next step's. */
  readonly place: number;
  readonly end?: number | undefined;
  /** Ids of its parts that a reader has seen. Updated by the edits. */
  readonly partIds: Set<string>;
  /** Other changes of its chunks while they are buffered. */
  readonly rewrite?: (chunk: Chunk) => Chunk;
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
export const emitEdits = async (run: Run, steps: readonly JudgedStep[]): Promise<void> => {
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
  const { place, end, rewrite = (chunk) => chunk } = step;
  const revise = (chunks: readonly Chunk[]) => (edits ? withEdits(chunks, edits, () => newId(run, step)) : chunks).map(rewrite);
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
