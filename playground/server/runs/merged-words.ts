import { guardView, traceOfKind, type Trace } from '../../../src/replay.js';
import { InterlockError } from '../../../src/index.js';
import { readContents } from '../../../src/trace/contents.js';
import { textsIn } from '../../../src/trace/plain-json.js';
import type { MergedText, MergeView, StudioEntry, TextAt } from '../../protocol/trace-entry.js';
import type { ShowText } from './guard-words.js';

/**
 * The branches' versions of the same words, and the merged result, for the conflict that is this entry. All texts
 * come from the trace: the result is the input of the next guard of the phase, and undefined if none was called.
 * Raises `studio/not-found` if the entry is not a conflict.
 */
export const mergedWords = (trace: Trace, entry: StudioEntry, showIn: (phase: string) => ShowText): MergeView => {
  const { event } = entry.kind === 'event' ? entry : {};
  if (event?.type !== 'merge-conflict') throw new InterlockError('studio/not-found', { path: `${entry.seq}` });
  const { phase, path, rule, stepNumber, attempt } = event;
  const at = trace.findIndex((line) => line.kind === 'event' && line.event.seq === event.seq);
  const isInBlock = (other: { phase: string; path: string; stepNumber: number; attempt: number }): boolean =>
    other.phase === phase && other.path.startsWith(`${path}/`) && other.stepNumber === stepNumber && other.attempt === attempt;
  const edits = trace.slice(0, at).flatMap((line, index) => {
    if (line.kind !== 'event' || line.event.type !== 'guard' || line.event.verdict !== 'edit') return [];
    return isInBlock(line.event) ? [guardView(trace, index)] : [];
  });
  const show = showIn(phase);
  const base = new Map(edits.toReversed().flatMap(({ received }) => received.map(({ target, text }) => [target, text])));
  const result = resultAfter(trace, at, event);
  const texts = [...base].flatMap(([target, text]): MergedText[] => {
    const proposals = edits.flatMap(({ processorId, returned }) => {
      const made = returned.find((one) => one.target === target);
      return made && made.text !== text ? [{ processorId, text: show(made.text) }] : [];
    });
    const merged = result?.find((one) => one.target === target);
    if (proposals.length < 2) return [];
    return [{ target, base: show(text), proposals, ...(merged && { result: show(merged.text) }) }];
  });
  return { seq: entry.seq, phase, path, rule, texts };
};

/**
 * The payload of the next guard after the block. That guard follows in the sequence that contains the block; guards parallel to
 * the block get another payload.
 */
const resultAfter = (trace: Trace, at: number, conflict: Conflict): readonly TextAt[] | undefined => {
  const { phase, path, stepNumber, attempt } = conflict;
  const sequence = `${path.slice(0, path.lastIndexOf('/'))}/`;
  const next = traceOfKind(trace, 'judged').find(
    (judged) =>
      judged.seq > at &&
      judged.phase === phase &&
      judged.stepNumber === stepNumber &&
      judged.attempt === attempt &&
      judged.path.startsWith(sequence) &&
      !judged.path.startsWith(`${path}/`),
  );
  return next?.received && textsIn(readContents(trace)(next.received));
};

type Conflict = Pick<
  Extract<Extract<StudioEntry, { kind: 'event' }>['event'], { type: 'merge-conflict' }>,
  'phase' | 'path' | 'stepNumber' | 'attempt'
>;
