import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { CallRuling } from './call-ruling.js';
import { createGrowingText } from './growing-text.js';
import type { Chunk, ToolCall } from './ports.js';

/** A part of a message, as the host keeps it. */
export type Part = MastraDBMessage['content']['parts'][number];
type TextPart = Extract<Part, { type: 'text' }>;
type ReasoningPart = Extract<Part, { type: 'reasoning' }>;

/** The payload of a tool result in the model's stream. */
export interface ProviderResult {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args?: unknown;
  readonly result?: unknown;
}

/** A part, and its text while it grows. */
interface Growing<P> {
  readonly part: P;
  /** Takes a piece; gives the text so far. */
  readonly grow: (piece: string) => string;
}

/** A text or reasoning part of an answer, under the id that its chunks have. */
export interface Span {
  readonly type: 'text' | 'reasoning';
  readonly id: string;
}

/** What one attempt's released chunks add up to. Guards decide what is released; only that becomes the answer. */
export interface Answer {
  readonly parts: Part[];
  readonly toolCalls: ToolCall[];
  /** What guards of the stream ruled about calls that are not simply run, by call. */
  readonly rulings: Map<string, CallRuling>;
  /** What came back of tools that the provider runs itself, also for calls of earlier steps. */
  readonly results: ProviderResult[];
  /** Ids of calls whose arguments came piece by piece. */
  readonly streamedCalls: string[];
  /** Texts and reasoning, in order, under the ids that their chunks have. */
  readonly spans: Span[];
  readonly sources: Chunk[];
  readonly files: Chunk[];
  /** Ids of everything a reader has been shown: text, reasoning, tool calls, sources. A retraction names them. */
  readonly partIds: Set<string>;
  /** Text and reasoning parts while they grow, by the provider's id for them. */
  readonly texts: Map<string, Growing<TextPart>>;
  readonly reasonings: Map<string, Growing<ReasoningPart>>;
}

/** Starts an empty answer. */
export const createAnswer = (): Answer => ({
  parts: [],
  toolCalls: [],
  rulings: new Map(),
  results: [],
  streamedCalls: [],
  spans: [],
  sources: [],
  files: [],
  partIds: new Set(),
  texts: new Map(),
  reasonings: new Map(),
});

/** Takes a released chunk into an answer; chunks that say nothing (a part's start, metadata) leave it as it is. */
export const addChunk = (answer: Answer, chunk: Chunk): void => takers[chunk.type]?.(answer, chunk);

// The payloads below are those of Mastra's chunks, which the host's port makes of the provider's parts.
type ProviderMetadata = TextPart['providerMetadata'];

interface SpanPayload {
  id: string;
  text?: string;
  providerMetadata?: ProviderMetadata;
}

const addText = (answer: Answer, chunk: Chunk): void => {
  const { id, text = '', providerMetadata } = chunk.payload as SpanPayload;
  let growing = answer.texts.get(id);
  if (!growing) {
    if (text === '' && !providerMetadata) return;
    // After a call that the provider ran itself, the host wants a new step, or the prompt made of it would be out of order.
    if (answer.parts.at(-1)?.type === 'tool-invocation') answer.parts.push({ type: 'step-start' });
    growing = { part: { type: 'text', text: '' }, grow: createGrowingText() };
    answer.texts.set(id, growing);
    answer.parts.push(growing.part);
    answer.spans.push({ type: 'text', id });
    answer.partIds.add(id);
  }
  const { part, grow } = growing;
  part.text = grow(text);
  if (providerMetadata) part.providerMetadata = providerMetadata;
};

/** Also for the end of a part, which may bring its metadata: signatures that the provider wants to see again. */
const addReasoning = (answer: Answer, chunk: Chunk): void => {
  const { id, text = '', providerMetadata } = chunk.payload as SpanPayload;
  let growing = answer.reasonings.get(id);
  if (!growing) {
    if (text === '' && !providerMetadata) return;
    growing = { part: { type: 'reasoning', reasoning: '', details: [] }, grow: createGrowingText() };
    answer.reasonings.set(id, growing);
    answer.parts.push(growing.part);
    answer.spans.push({ type: 'reasoning', id });
    answer.partIds.add(id);
  }
  const { part, grow } = growing;
  part.reasoning = grow(text);
  part.details = [{ type: 'text', text: part.reasoning }];
  if (providerMetadata) part.providerMetadata = providerMetadata;
};

const endText = (answer: Answer, chunk: Chunk): void => {
  const { id, providerMetadata } = chunk.payload as SpanPayload;
  const part = answer.texts.get(id)?.part;
  if (part && providerMetadata) part.providerMetadata = providerMetadata;
};

const addToolCall = (answer: Answer, chunk: Chunk): void => {
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

/** Arguments that stream are seen before the call is complete. */
const showToolCall = (answer: Answer, { type, payload }: Chunk): void => {
  const { toolCallId } = payload as { toolCallId: string };
  if (type === 'tool-call-input-streaming-start') answer.streamedCalls.push(toolCallId);
  answer.partIds.add(toolCallId);
};

/** A result in the model's own stream: the provider ran the tool, whether it said so with the call or not. */
const addToolResult = (answer: Answer, chunk: Chunk): void => {
  const { toolCallId, result } = chunk.payload as ProviderResult;
  const part = findToolPart(answer.parts, toolCallId);
  if (part) Object.assign(part.toolInvocation, { state: 'result', result });
  answer.results.push(chunk.payload as ProviderResult);
};

const addSource = (answer: Answer, chunk: Chunk): void => {
  const { id, url = '', title, providerMetadata } = chunk.payload as SpanPayload & { url?: string; title?: string };
  answer.sources.push(chunk);
  answer.parts.push({ type: 'source', source: { sourceType: 'url', id, url, title, providerMetadata } });
  answer.partIds.add(id);
};

const addFile = (answer: Answer, chunk: Chunk): void => {
  const { data, mimeType } = chunk.payload as { data: string; mimeType: string };
  answer.files.push(chunk);
  answer.parts.push({ type: 'file', data, mimeType });
};

const takers: Partial<Record<string, (answer: Answer, chunk: Chunk) => void>> = {
  'text-delta': addText,
  'text-end': endText,
  'reasoning-delta': addReasoning,
  'reasoning-end': addReasoning,
  'tool-call-input-streaming-start': showToolCall,
  'tool-call-delta': showToolCall,
  'tool-call': addToolCall,
  'tool-result': addToolResult,
  source: addSource,
  file: addFile,
};

/** The text of a message's parts, in order. */
export const textOf = (parts: readonly Part[]): string => parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** The reasoning in a message's parts, in order; nothing where there is none. */
export const reasoningOf = (parts: readonly Part[]): string | undefined => {
  const text = parts.map((part) => (part.type === 'reasoning' ? part.reasoning : '')).join('');
  return text === '' ? undefined : text;
};

/** The part of a message that a tool call became. */
export const findToolPart = (parts: readonly Part[], toolCallId: string) =>
  parts.find((part) => part.type === 'tool-invocation' && part.toolInvocation.toolCallId === toolCallId) as
    Extract<Part, { type: 'tool-invocation' }> | undefined; // found by its type, which the compiler does not see through find
