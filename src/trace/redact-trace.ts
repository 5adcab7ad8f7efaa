import type { RunEvent, TraceEntry } from '../../schemas/index.js';
import { phases } from '../phase/table.js';
import type { Trace } from './traces.js';
import { readContents } from './contents.js';

/** Selects the words that a redacted trace keeps. */
export interface RedactionPolicy {
  /**
   * Kinds of entries whose content is kept although no reader has seen it. Default none. Kept content may include text that guards
   * rejected.
   */
  readonly keep?: readonly TraceEntry['kind'][];
}

/**
 * The public view of a trace: content that was rejected, or never left the run, is removed. Type, position and length of each
 * part stay, so that the run can be followed; it cannot be replayed. Guards' reasons and metadata stay.
 *
 * Released content stays unless it was retracted. The caller's text stays if it reached the model unchanged.
 */
export const redactTrace = (trace: Trace, { keep = [] }: RedactionPolicy = {}): Trace => {
  const accepted = acceptedContent(trace);
  return trace.map((entry) => (keep.includes(entry.kind) ? entry : redacted(entry, accepted)));
};

/** Content fields by kind of entry: text that no reader has seen, or may not have seen. */
const contentFields = {
  header: [],
  input: ['adds', 'list'],
  event: [],
  asked: [],
  judged: ['adds', 'received', 'returned', 'causes'],
  prompt: ['adds', 'request'],
  opened: ['response', 'warnings'],
  came: ['chunk'],
  ended: ['error'],
  left: [],
  approval: [],
  wrote: ['chunk'],
  tool: ['args', 'outcome'],
  'stop-condition': [],
  'after-step': ['feedback', 'chunks'],
  memory: ['adds', 'list', 'error'],
  cancel: ['reason'],
  resume: ['answer'],
  result: [],
} as const satisfies { readonly [K in TraceEntry['kind']]: readonly (keyof Extract<TraceEntry, { kind: K }>)[] };

const redacted = (entry: TraceEntry, accepted: Accepted): TraceEntry => {
  const hidden: readonly string[] = contentFields[entry.kind];
  const rest = Object.fromEntries(Object.entries(entry).filter(([name]) => !hidden.includes(name))) as TraceEntry; // less optional fields
  return judged(rest, accepted);
};

/** Entries that keep accepted words. */
const judged = (entry: TraceEntry, accepted: Accepted): TraceEntry => {
  if (entry.kind === 'header') return { ...entry, settings: {} };
  if (entry.kind === 'event') return { ...entry, event: withoutChanges(entry.event) };
  if (entry.kind === 'left' && !accepted.chunk(entry)) return { ...entry, chunk: undefined };
  if (entry.kind !== 'input') return entry;
  const messages = entry.messages.map(({ text = '', ...note }) => (accepted.isSent(text) ? { ...note, text } : note));
  return { ...entry, messages };
};

/** An event without the changes that guards made. */
export const withoutChanges = (event: RunEvent): RunEvent => {
  if (event.type !== 'guard') return event;
  const { changes: _changes, ...rest } = event;
  return rest;
};

/** Chunks in which the loop reports a run's progress; their words come from guards. */
const loopChunks = new Set([
  'start',
  'step-start',
  'step-finish',
  'finish',
  'tripwire',
  'error',
  'abort',
  'data-interlock-kept',
  'data-interlock-retract',
]);

/** The content of a run that may be shown. */
type Accepted = ReturnType<typeof acceptedContent>;

const acceptedContent = (trace: Trace) => {
  const events = trace.flatMap((entry) => (entry.kind === 'event' ? [entry.event] : []));
  const withdrawn = new Set(events.flatMap((event) => (event.type === 'retract' ? event.partIds : [])));
  const finish = events.findLast((event) => event.type === 'run-finish');
  const rejectedAttempts = new Set(
    events.flatMap((event) =>
      event.type === 'step-finish' && (event.reason === 'tripwire' || event.reason === 'retry') ? [placeOf(event)] : [],
    ),
  );
  const isStopped = finish?.status === 'tripwire' || events.some(isOutage);
  const sent = finish && !isRejectedInput(finish.tripwire?.phase) ? wordsSent(trace) : [];
  return {
    chunk: ({ part, ...place }: Extract<TraceEntry, { kind: 'left' }>) =>
      loopChunks.has(part.type) ||
      (!rejectedAttempts.has(placeOf(place)) && (part.partId === undefined ? !isStopped : !withdrawn.has(part.partId))),
    isSent: (text: string) => sent.some((words) => words.includes(text)),
  };
};

/** A guard that failed: some emitted content was never judged. */
const isOutage = (event: RunEvent): boolean => event.type === 'guard' && event.verdict === 'unavailable';

const placeOf = ({ stepNumber, attempt }: { stepNumber: number; attempt: number }): string => `${stepNumber}.${attempt}`;

/** Whether a stop was about the caller's input. */
const isRejectedInput = (phase: string | undefined): boolean =>
  Object.values(phases).some((row) => row.phase === phase && row.lane === 'input');

/** The caller's words in the requests to models. */
const wordsSent = (trace: Trace): string[] => {
  const read = readContents(trace);
  return trace.flatMap((entry) => {
    if (entry.kind !== 'prompt' || !entry.request) return [];
    const { prompt } = read(entry.request) as { prompt?: { role: string; content: unknown }[] };
    return (prompt ?? []).filter(({ role }) => role === 'user').flatMap(({ content }) => textsOf(content));
  });
};

const textsOf = (content: unknown): string[] =>
  Array.isArray(content) ? content.map((part: { text?: string }) => part.text ?? '') : [String(content)];
