import { dropStandIns, hasStandIns, withoutStandIns } from '../guard/stand-ins.js';
import { computed, isSame } from '../phase/plain-data.js';
import type { Chunk } from './ports.js';
import type { Part, Span } from './response.js';
import { changeAttempt, currentAttempt, type Attempt, type Run } from './run.js';
import type { ToolCall } from './tool-call.js';

const spanTypes = new Map(
  (['text', 'reasoning'] as const).flatMap((span) => ['start', 'delta', 'end'].map((place) => [`${span}-${place}`, span])),
);

/** The kind of the text that a chunk starts, continues or ends. */
const spanTypeOf = ({ type }: Chunk): Span['type'] | undefined => spanTypes.get(type);

interface SpanPayload {
  readonly id: string;
  readonly text?: string;
  readonly providerMetadata?: unknown;
}

/** Keeps the provider's version of a part while guards may edit it: its metadata may stand for that version. */
export const noteOriginal = ({ originals }: Attempt, chunk: Chunk): void => {
  const { type, payload } = chunk;
  const span = spanTypeOf(chunk);
  if (span) {
    const { id, text } = payload as SpanPayload;
    const pieces = computed((originals[span] ??= new Map()), id, newList);
    if (text) pieces.push(text);
  } else if (type === 'tool-call') {
    const { toolCallId, toolName, args } = payload as ToolCall;
    (originals.call ??= new Map()).set(toolCallId, [toolName, JSON.stringify(args)]);
  }
};

const newList = (): string[] => [];

const originalText = ({ originals }: Attempt, { type, id }: Span): string => (originals[type]?.get(id) ?? []).join('');

const isEditedCall = ({ originals }: Attempt, { toolCallId, toolName, args }: ToolCall): boolean => {
  const original = originals.call?.get(toolCallId);
  return original !== undefined && !isSame(original, [toolName, JSON.stringify(args)]);
};

const wordsOf = (part: Part | undefined): string =>
  part?.type === 'text' ? part.text : part?.type === 'reasoning' ? part.reasoning : '';

/**
 * A chunk of an edited response, as it is sent: without the metadata that represents edited content, and from the first edited part on without
 * references. The end of an edited part repeats the part's remaining metadata, so that readers drop what came before.
 */
export const withoutFallen = (run: Run, chunk: Chunk): Chunk => {
  const attempt = currentAttempt(run);
  const type = spanTypeOf(chunk);
  if (!type && chunk.type !== 'tool-call') return chunk;
  const payload = chunk.payload as SpanPayload & ToolCall; // each of these types has one of the two
  const part = type && attempt.answer.growing[type].get(payload.id)?.part;
  const metadata = payload.providerMetadata ?? (isEnd(chunk) ? part?.providerMetadata : undefined);
  if (!hasStandIns(metadata)) return chunk;
  const { id, text = '' } = payload;
  const isEdited = type
    ? isEditedSpan(originalText(attempt, { type, id }), wordsOf(part) + text, chunk)
    : isEditedCall(attempt, payload);
  if (!(isEdited || attempt.hasFallen)) return chunk;
  changeAttempt(run, { hasFallen: true });
  return { ...chunk, payload: { ...payload, providerMetadata: withoutStandIns(metadata, isEdited ? 'all' : 'references') } };
};

const isEnd = ({ type }: Chunk): boolean => type.endsWith('-end');

/** Before the end of a part, guards may still hold the rest of its text. */
const isEditedSpan = (original: string, left: string, chunk: Chunk): boolean =>
  isEnd(chunk) ? left !== original : !original.startsWith(left);

/** Removes the same from the parts of a complete response that was edited; a removed part counts as edited. */
export const dropFallen = (attempt: Attempt): void => {
  const { answer, originals } = attempt;
  const edited = new Set<Part>();
  for (const type of ['text', 'reasoning'] as const)
    for (const [id, { part }] of answer.growing[type])
      if (wordsOf(part) !== originalText(attempt, { type, id })) edited.add(part);
  for (const part of answer.parts)
    if (part.type === 'tool-invocation' && isEditedCall(attempt, part.toolInvocation as ToolCall)) edited.add(part);
  const left = answer.spans.length + answer.toolCalls.length;
  const texts = [originals.text, originals.reasoning].flatMap((some) => [...(some?.values() ?? [])]);
  const isRemoved = texts.filter(({ length }) => length > 0).length + (originals.call?.size ?? 0) > left;
  if (edited.size === 0 && !isRemoved) return;
  for (const part of answer.parts) dropStandIns(part, edited.has(part) ? 'all' : 'references');
};
