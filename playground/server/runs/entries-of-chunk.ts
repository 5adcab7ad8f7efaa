import type { PartNote, Place } from '../../protocol/trace-entry.js';
import type { EntryFact } from './entry-fact.js';

/** The fields that are read of a chunk of any type: all are optional. */
export interface StreamedChunk {
  readonly type: string;
  readonly payload?: StreamedPayload;
  readonly data?: unknown;
}

interface StreamedPayload {
  readonly id?: string;
  readonly text?: string;
  readonly argsTextDelta?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly args?: unknown;
  readonly result?: unknown;
}

/** Chunks that report the progress of a call or a run; their payloads repeat the whole answer. */
const isBookkeeping = /^(start|finish|step-start|step-finish|response-metadata|raw|watch)$/;

/** The entries of a page for a chunk that left a run. */
export const entriesOfChunk = (chunk: StreamedChunk, place: Place, part: PartNote = partOf(chunk)): EntryFact[] => {
  const { type, payload = {}, data } = chunk;
  const text = payload.text ?? payload.argsTextDelta;
  const emitted: EntryFact = {
    kind: 'left',
    ...place,
    part,
    ...(text !== undefined && { text }),
    ...(text === undefined && !isBookkeeping.test(type) && { data: data ?? chunk.payload }),
  };
  return type === 'tool-call' || type === 'tool-result' ? [emitted, toolEntry(payload, place)] : [emitted];
};

/** A part without its words. */
const partOf = ({ type, payload: { id, toolCallId, text, argsTextDelta } = {} }: StreamedChunk): PartNote => {
  const partId = toolCallId ?? id;
  return { type, ...(partId !== undefined && { partId }), chars: (text ?? argsTextDelta ?? '').length };
};

const toolEntry = ({ toolCallId = '', toolName = '', args, result }: StreamedPayload, place: Place): EntryFact => ({
  kind: 'tool',
  ...place,
  toolCallId,
  toolName,
  args,
  ...(result !== undefined && { result }),
});
