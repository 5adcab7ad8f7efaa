import type { TraceEntry } from '../../../schemas/index.js';
import type { Trace } from '../collect-traces.js';
import { traceOfKind } from '../kinds.js';

type OfKind<K extends TraceEntry['kind']> = Extract<TraceEntry, { kind: K }>;

/** One segment of a recorded run: from its start, or from an answer, to its end or suspension. */
export interface RecordedSegment {
  /** The answer that resumes the run; undefined in the first segment. */
  readonly resume: OfKind<'resume'> | undefined;
  /** The cancellation by the caller. */
  readonly cancel: OfKind<'cancel'> | undefined;
}

/** The segments of a recorded run, in order. */
export const segmentsOf = (trace: Trace): RecordedSegment[] => {
  const ends = traceOfKind(trace, 'result').map(({ seq }) => seq);
  const resumes = traceOfKind(trace, 'resume');
  const cancels = traceOfKind(trace, 'cancel');
  return Array.from({ length: resumes.length + 1 }, (_, index) => {
    const [from, to] = [ends[index - 1] ?? -1, ends[index] ?? Infinity];
    return { resume: resumes[index - 1], cancel: cancels.find(({ seq }) => seq > from && seq < to) };
  });
};
