import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { toBase64 } from '../guard/read-file.js';
import type { Chunk } from './ports.js';
import type { ProviderResult, ToolCall } from './tool-call.js';
import { fieldsIn, copyShared, isPlain } from '../phase/plain-data.js';

/** A part of a message, as the host keeps it. */
export type Part = MastraDBMessage['content']['parts'][number];
type ToolPart = Extract<Part, { type: 'tool-invocation' }>;
type TextPart = Extract<Part, { type: 'text' }>;
type ReasoningPart = Extract<Part, { type: 'reasoning' }>;

/** A text or reasoning part while it grows. */
interface GrowingSpan {
  readonly part: TextPart | ReasoningPart;
  /** Appends a piece; returns the text so far. */
  readonly grow: (piece: string) => string;
  /** Whether the part is in the response: it has a text, or metadata that the provider needs back. */
  isPlaced: boolean;
}

/** A text or reasoning part of a response, under the id of its chunks. */
export interface Span {
  readonly type: 'text' | 'reasoning';
  readonly id: string;
}

/** The response of one attempt, assembled from its released chunks. Guards decide what is released; only that becomes the response. */
export interface AssembledResponse {
  readonly parts: Part[];
  readonly toolCalls: ToolCall[];
  /** Results of tools that the provider runs itself, also for calls of earlier steps. */
  readonly results: ProviderResult[];
  /** Ids of calls whose arguments streamed. */
  readonly streamedCalls: string[];
  /** The chunks that streamed arguments, until they are compared with their calls; see `keepInput`. */
  readonly streamedInput: Chunk[];
  /** Text and reasoning parts, in order, under the ids of their chunks. */
  readonly spans: Span[];
  readonly sources: Chunk[];
  readonly files: Chunk[];
  /** Ids of everything a reader has been shown: text, reasoning, tool calls, sources. A retraction names them. */
  readonly partIds: Set<string>;
  /** Text and reasoning parts while they grow, by the provider's id for them. */
  readonly growing: Readonly<Record<Span['type'], Map<string, GrowingSpan>>>;
}

/** Creates an empty response. */
export const createResponse = (): AssembledResponse => ({
  parts: [],
  toolCalls: [],
  results: [],
  streamedCalls: [],
  streamedInput: [],
  spans: [],
  sources: [],
  files: [],
  partIds: new Set(),
  growing: { text: new Map(), reasoning: new Map() },
});

/** Adds a released chunk to a response; chunks without content (a part's start, metadata) leave it as it is. */
export const addChunk = (answer: AssembledResponse, chunk: Chunk): void => takers[chunk.type]?.(answer, chunk);

// The payloads below are those of Mastra's chunks, which the host's port creates from the provider's parts.
type ProviderMetadata = TextPart['providerMetadata'];

interface SpanPayload {
  id: string;
  text?: string;
  providerMetadata?: ProviderMetadata;
}

/**
 * Adds a chunk of text or reasoning, its start and end included: each may bring metadata that the provider needs back with the next
 * prompt. The last one wins.
 */
const addSpan =
  (type: Span['type']) =>
  (answer: AssembledResponse, chunk: Chunk): void => {
    const { id, text = '', providerMetadata } = chunk.payload as SpanPayload;
    const span = growingSpan(answer, { type, id });
    const { part, grow } = span;
    if (part.type === 'text') part.text = grow(text);
    else {
      part.reasoning = grow(text);
      part.details = [isRedacted(providerMetadata) ? { type: 'redacted', data: '' } : { type: 'text', text: part.reasoning }];
    }
    if (providerMetadata) part.providerMetadata = providerMetadata;
    if (text !== '' || (providerMetadata && placesByMetadata.has(chunk.type))) place(answer, span, { type, id });
  };

/** Chunks whose metadata is kept even if the part has no text. */
const placesByMetadata = new Set(['text-delta', 'reasoning-start', 'reasoning-delta', 'reasoning-end']);

const isRedacted = (metadata: ProviderMetadata): boolean =>
  Object.values(metadata ?? {}).some((one) => Boolean(fieldsIn(one)['redactedData']));

const growingSpan = (answer: AssembledResponse, { type, id }: Span): GrowingSpan => {
  const known = answer.growing[type].get(id);
  if (known) return known;
  const part: GrowingSpan['part'] = type === 'text' ? { type, text: '' } : { type, reasoning: '', details: [] };
  const span = { part, grow: createRope(), isPlaced: false };
  answer.growing[type].set(id, span);
  return span;
};

const place = (answer: AssembledResponse, growing: GrowingSpan, span: Span): void => {
  if (growing.isPlaced) return;
  growing.isPlaced = true;
  // After a call that the provider ran itself, the host wants a new step, or the prompt made of it would be out of order.
  if (span.type === 'text' && answer.parts.at(-1)?.type === 'tool-invocation') answer.parts.push({ type: 'step-start' });
  answer.parts.push(growing.part);
  answer.spans.push(span);
  answer.partIds.add(span.id);
};

const addToolCall = (answer: AssembledResponse, chunk: Chunk): void => {
  const { providerMetadata, ...call } = chunk.payload as ToolCall & { providerMetadata?: ProviderMetadata };
  const { toolCallId, toolName, args, providerExecuted } = call;
  showToolCall(answer, chunk);
  answer.toolCalls.push({ toolCallId, toolName, args, providerExecuted });
  answer.parts.push({
    type: 'tool-invocation',
    toolInvocation: { state: 'call', toolCallId, toolName, args },
    ...(providerMetadata && { providerMetadata }),
    ...(providerExecuted && { providerExecuted }),
  });
};

/** Streamed arguments are visible before the call is complete. */
const showToolCall = (answer: AssembledResponse, { type, payload }: Chunk): void => {
  const { toolCallId } = payload as { toolCallId: string };
  if (type === 'tool-call-input-streaming-start' || !answer.partIds.has(toolCallId)) answer.streamedCalls.push(toolCallId);
  answer.partIds.add(toolCallId);
};

/** Adds a result from the model's own stream: the provider ran the tool, whether it marked the call so or not. */
const addToolResult = (answer: AssembledResponse, chunk: Chunk): void => {
  const { toolCallId, result, providerMetadata } = chunk.payload as ProviderResult & { providerMetadata?: ProviderMetadata };
  const part = findToolPart(answer.parts, toolCallId);
  if (part) Object.assign(part.toolInvocation, { state: 'result', result });
  if (part && providerMetadata) part.providerMetadata = withBothItems(part.providerMetadata, providerMetadata);
  answer.results.push(chunk.payload as ProviderResult);
};

/** Metadata of a call and its result in one part. If a provider gives each an item id, Mastra keeps the result's as `resultItemId`. */
const withBothItems = (call: ProviderMetadata, result: NonNullable<ProviderMetadata>): ProviderMetadata =>
  Object.fromEntries(
    Object.entries(result).map(([provider, fields]) => {
      const itemId = call?.[provider]?.['itemId'];
      if (typeof itemId !== 'string' || typeof fields['itemId'] !== 'string' || itemId === fields['itemId'])
        return [provider, fields];
      return [provider, { ...fields, itemId, resultItemId: fields['itemId'] }];
    }),
  );

interface SourcePayload extends SpanPayload {
  url?: string;
  title?: string;
  /** Of a document. */
  filename?: string;
}

const addSource = (answer: AssembledResponse, chunk: Chunk): void => {
  const { id, url = '', title, filename, providerMetadata } = chunk.payload as SourcePayload;
  answer.sources.push(chunk);
  answer.parts.push({
    type: 'source',
    source: { sourceType: 'url', id, url, title, ...(filename !== undefined && { filename }), providerMetadata },
  });
  answer.partIds.add(id);
};

const addFile = (answer: AssembledResponse, chunk: Chunk): void => {
  const { data, mimeType, providerMetadata } = chunk.payload as Extract<Part, { type: 'file' }>;
  answer.files.push(chunk);
  answer.parts.push({ type: 'file', data, mimeType, ...(providerMetadata && { providerMetadata }) });
};

const takers: Partial<Record<string, (answer: AssembledResponse, chunk: Chunk) => void>> = {
  'text-start': addSpan('text'),
  'text-delta': addSpan('text'),
  'text-end': addSpan('text'),
  'reasoning-start': addSpan('reasoning'),
  'reasoning-delta': addSpan('reasoning'),
  'reasoning-end': addSpan('reasoning'),
  'tool-call-input-streaming-start': showToolCall,
  'tool-call-delta': showToolCall,
  'tool-call': addToolCall,
  'tool-result': addToolResult,
  source: addSource,
  file: addFile,
};

/** The text of a message's parts, in order. */
export const textOf = (parts: readonly Part[]): string => parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** The content of a file as text, to compare it: bytes and the AI SDK's objects around them are copied with their message. */
export const fileKey = (data: unknown): unknown => {
  if (data instanceof Uint8Array) return toBase64(data);
  if (typeof data !== 'object' || data === null) return data;
  return 'data' in data ? fileKey(data.data) : JSON.stringify(data);
};

/** The fields of a source with content. Providers name the file of a document. */
export const sourceFields = ({ source }: Extract<Part, { type: 'source' }>) => {
  const { url, title, filename } = source as typeof source & { filename?: string };
  return { url, title, ...(filename !== undefined && { filename }) };
};

/** The message part of a tool call. */
export const findToolPart = (parts: readonly Part[], toolCallId: string) =>
  parts.find((part): part is ToolPart => part.type === 'tool-invocation' && part.toolInvocation.toolCallId === toolCallId);

/** Number of pieces that are joined at once. */
const piecesOfBlock = 4_096;

/**
 * Builds a text from small pieces: the function takes a piece and returns the text so far. The JavaScript engine would hold such
 * a text as a tree of its pieces, at several times its size, until it is read; this function joins the pieces in blocks as they
 * arrive.
 */
export const createRope = (): ((piece: string) => string) => {
  let blocks = '';
  let block = '';
  let pieces: string[] = [];
  return (piece) => {
    pieces.push(piece);
    block += piece;
    if (pieces.length === piecesOfBlock) {
      blocks += pieces.join('');
      block = '';
      pieces = [];
    }
    return blocks + block;
  };
};

/** A snapshot of a message part; later edits by guards do not change it. */
export interface PartSnapshot {
  readonly type: string;
  /** The id of a tool call or a source. */
  readonly id: string | undefined;
  /** The text; for other parts their content, for comparison. */
  readonly value: unknown;
  /** The provider's metadata of the part. */
  readonly metadata?: unknown;
}

/** A copy of plain data, and the text of other values: a guard may change a class instance in place. */
export const snapshotValue = (earlier: unknown, value: unknown): unknown => {
  const copy = copyShared(earlier, value);
  return copy === earlier || isPlain(copy) ? copy : JSON.stringify(value);
};
