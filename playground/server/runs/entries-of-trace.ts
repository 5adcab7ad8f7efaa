import type { TraceEntry } from '../../../schemas/index.js';
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
  came: ({ stepNumber, attempt, part }) => [{ kind: 'came', stepNumber, attempt, part }],
  left: ({ stepNumber, attempt, part, chunk }) =>
    entriesOfChunk((chunk ?? { type: part.type }) as StreamedChunk, { stepNumber, attempt }, part), // a chunk was written
};

/** The entry of a page for an event; text that a guard removed is sent on request. */
export const entryOfEvent = (event: RunEvent): EntryFact => {
  if (event.type !== 'guard') return { kind: 'event', event };
  const { changes: _changes, ...rest } = event;
  return { kind: 'event', event: rest };
};
