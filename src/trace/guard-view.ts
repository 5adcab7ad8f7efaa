import type { RunEvent, TraceEntry } from '../../schemas/index.js';
import type { TraceContent } from '../../schemas/trace-entry.js';
import { InterlockError } from '../errors.js';
import type { Trace } from './traces.js';
import { readContents } from './contents.js';
import { fieldsIn } from '../phase/plain-data.js';
import { textsIn, wordsOfChunk, type TextAt } from './plain-json.js';

/** The input and output of one guard call. */
export interface GuardView {
  /** The entry of the guard's event. */
  readonly seq: number;
  readonly phase: string;
  readonly processorId: string;
  readonly path: string;
  readonly received: readonly TextAt[];
  /** Empty if the guard stopped the run. */
  readonly returned: readonly TextAt[];
  /** The error if it gave no verdict, followed by its causes; absent if it gave one. */
  readonly causes?: NonNullable<Judged['causes']>;
}

type Judged = Extract<TraceEntry, { kind: 'judged' }>;
type GuardEvent = Extract<RunEvent, { type: 'guard' | 'guard-bypass' }>;

/**
 * The input and output of a guard, by its event in a trace. For a stream guard these are the chunks that it changed or stopped
 * on, in order; if it changed none, the original texts.
 *
 * Raises `trace/invalid` if the entry is not a guard's event, and `trace/redacted` if the trace does not contain the words.
 */
export const guardView = (trace: Trace, seq: number): GuardView => {
  const event = guardEventAt(trace, seq);
  const { phase, processorId, path } = event;
  const judged = judgedBy(trace, seq, event);
  const { received, returned } = judged.length > 0 ? payloadsOf(trace, judged) : unchangedTexts(trace, event);
  const causes = event.type === 'guard-bypass' || event.verdict === 'unavailable' ? judged.at(-1)?.causes : undefined;
  return { seq, phase, processorId, path, received, returned: isStop(event) ? [] : returned, ...(causes && { causes }) };
};

const guardEventAt = (trace: Trace, seq: number): GuardEvent => {
  const entry = trace[seq];
  if (entry?.kind === 'event' && isOfGuard(entry.event)) return entry.event;
  throw new InterlockError('trace/invalid', { path: `seq ${seq}`, detail: 'this entry is not the event of a guard.' });
};

const isOfGuard = (event: RunEvent): event is GuardEvent => event.type === 'guard' || event.type === 'guard-bypass';

/** A single call is recorded right after its event; the calls per chunk of a step precede the event that sums them up. */
const judgedBy = (trace: Trace, seq: number, event: GuardEvent): Judged[] => {
  const own = trace.filter((entry): entry is Judged => entry.kind === 'judged' && isSameCall(entry, event));
  const next = own.find((entry) => entry.seq > seq);
  const isSummed = trace.some((entry) => entry.kind === 'came') && own.some((entry) => 'part' in (entry.received?.values ?? {}));
  if (!isSummed) return next ? [next] : [];
  const from = trace.findLast(
    (entry) => entry.seq < seq && entry.kind === 'event' && isOfGuard(entry.event) && isSameCall(entry.event, event),
  );
  const before = own.filter((entry) => entry.seq > (from?.seq ?? 0) && entry.seq < seq);
  return isStop(event) && next ? [next] : before;
};

const isStop = (event: GuardEvent): boolean => event.type === 'guard' && event.verdict !== 'pass' && event.verdict !== 'edit';

type Call = Pick<GuardEvent, 'phase' | 'path' | 'processorId' | 'stepNumber' | 'attempt'>;

const isSameCall = (a: Call, b: Call): boolean =>
  a.phase === b.phase &&
  a.path === b.path &&
  a.processorId === b.processorId &&
  a.stepNumber === b.stepNumber &&
  a.attempt === b.attempt;

type GuardPayloads = Pick<GuardView, 'received' | 'returned'>;

const payloadsOf = (trace: Trace, judged: readonly Judged[]): GuardPayloads => {
  const read = readContents(trace);
  const textsOf = (content: TraceContent, index: number): TextAt[] =>
    textsIn(read(content), judged.length > 1 ? `chunks.${index}` : '');
  return {
    received: judged.flatMap((entry, index) => textsOf(known(entry.received, entry.seq), index)),
    returned: judged.flatMap((entry, index) => textsOf(entry.returned ?? known(entry.received, entry.seq), index)),
  };
};

const known = <C>(content: C, seq: number): NonNullable<C> => {
  if (content) return content;
  throw new InterlockError('trace/redacted', { path: `seq ${seq}` });
};

/** The original texts of a step's response, part by part. */
const unchangedTexts = (trace: Trace, { stepNumber, attempt }: GuardEvent): GuardPayloads => {
  const texts = new Map<string, string>();
  for (const entry of trace) {
    if (entry.kind !== 'came' || entry.stepNumber !== stepNumber || entry.attempt !== attempt) continue;
    if (entry.part.chars === 0 || entry.part.partId === undefined) continue;
    const words = wordsOfChunk(fieldsIn(known(entry.chunk, entry.seq)));
    texts.set(entry.part.partId, (texts.get(entry.part.partId) ?? '') + (words ?? ''));
  }
  const unchanged = [...texts].map(([target, text]) => ({ target, text }));
  return { received: unchanged, returned: unchanged };
};
