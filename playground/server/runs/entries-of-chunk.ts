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
  readonly error?: unknown;
  readonly approval?: { readonly reason?: unknown };
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
  return /^tool-(call|result|error|output-denied)$/.test(type) ? [emitted, toolEntry(payload, place)] : [emitted];
};

/** A part without its words. */
const partOf = ({ type, payload: { id, toolCallId, text, argsTextDelta } = {} }: StreamedChunk): PartNote => {
  const partId = toolCallId ?? id;
  return { type, ...(partId !== undefined && { partId }), chars: (text ?? argsTextDelta ?? '').length };
};

const toolEntry = (
  { toolCallId = '', toolName = '', args, result, error, approval }: StreamedPayload,
  place: Place,
): EntryFact => ({
  kind: 'tool',
  ...place,
  toolCallId,
  toolName,
  ...(args !== undefined && { args }),
  ...(result !== undefined && { result }),
  ...((error !== undefined || approval?.reason !== undefined) && { error: messageOf(error ?? approval?.reason) }),
});

/** An error with its causes, without stacks. */
const messageOf = (error: unknown): string => {
  if (typeof error !== 'object' || error === null) return String(error);
  const { $: form, value } = error as { $?: unknown; value?: unknown };
  if (form === 'error') return messageOf(value); // as a trace writes it
  const { message, cause } = error as { message?: unknown; cause?: unknown };
  const own = typeof message === 'string' ? message : JSON.stringify(error);
  const reason = cause === undefined ? '' : messageOf(cause);
  return own.includes(reason) ? own : `${own}; caused by: ${reason}`; // Mastra wraps an error in one with the same message
};
