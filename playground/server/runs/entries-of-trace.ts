import type { TraceContent, TraceEntry } from '../../../schemas/trace-entry.js';
import { traceOfKind, type Trace } from '../../../src/replay.js';
import type { RunEvent } from '../../../src/index.js';
import { entriesOfChunk, type StreamedChunk } from './entries-of-chunk.js';
import type { EntryFact } from './entry-fact.js';

type Kind = TraceEntry['kind'];
type OfKind<K extends Kind> = Extract<TraceEntry, { kind: K }>;

/** The entries of a page for a line of a trace. Lines that contain only text are sent on request. */
export const entriesOfTrace = (entry: TraceEntry): EntryFact[] => {
  const convert = tellers[entry.kind] as ((one: TraceEntry) => EntryFact[]) | undefined; // each function handles its own kind
  return convert?.(entry) ?? [];
};

const tellers: { readonly [K in Kind]?: (entry: OfKind<K>) => EntryFact[] } = {
  input: ({ messages }) => [
    { kind: 'input', messages: messages.map(({ id, role, chars, text = '▒'.repeat(chars) }) => ({ id, role, text })) },
  ],
  event: ({ event }) => [entryOfEvent(event)],
  asked: ({ stepNumber, attempt, phase, lane, pipelineId }) => [{ kind: 'asked', stepNumber, attempt, phase, lane, pipelineId }],
  judged: ({ stepNumber, attempt, processorId, received, returned }) => {
    const rejected = rejectedIn(received, returned);
    return rejected ? [{ kind: 'tool', stepNumber, attempt, rejectedBy: processorId, ...rejected }] : [];
  },
  came: ({ stepNumber, attempt, part }) => [{ kind: 'came', stepNumber, attempt, part }],
  left: ({ stepNumber, attempt, part, chunk }) =>
    entriesOfChunk((chunk ?? { type: part.type }) as StreamedChunk, { stepNumber, attempt }, part), // a chunk was written
};

interface CallChunk {
  readonly type?: string;
  readonly payload?: {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly args?: unknown;
    readonly error?: unknown;
  };
}

const chunkOf = (content: TraceContent | undefined): CallChunk => content?.values['part'] ?? {};

/** The call that a guard of the stream replaced with an error; undefined if it did something else. The arguments are hidden. */
const rejectedIn = (received: TraceContent | undefined, returned: TraceContent | undefined) => {
  const [call, error] = [chunkOf(received), chunkOf(returned)];
  if (call.type !== 'tool-call' || error.type !== 'tool-error' || !call.payload) return undefined;
  const { toolCallId, toolName } = call.payload;
  return { toolCallId, toolName, error: String(error.payload?.error) };
};

/** The arguments of the calls that guards of the stream rejected, by the ids of the calls. */
export const rejectedArguments = (trace: Trace): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    traceOfKind(trace, 'judged').flatMap(({ received, returned }) => {
      const rejected = rejectedIn(received, returned);
      return rejected ? [[rejected.toolCallId, chunkOf(received).payload?.args]] : [];
    }),
  );

/** The entry of a page for an event; text that a guard removed is sent on request. */
export const entryOfEvent = (event: RunEvent): EntryFact => {
  if (event.type !== 'guard') return { kind: 'event', event };
  const { changes: _changes, ...rest } = event;
  return { kind: 'event', event: rest };
};
