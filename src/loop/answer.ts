import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { Chunk, ToolCall } from './ports.js';

type Part = MastraDBMessage['content']['parts'][number];

interface SpanPayload {
  id: string;
  text?: string;
  providerMetadata?: Record<string, unknown>;
}

/** What one attempt's released chunks add up to. Guards decide what is released; only that becomes the answer. */
export interface Answer {
  /** Takes a chunk in. */
  add(chunk: Chunk): void;
  readonly parts: readonly Part[];
  readonly toolCalls: readonly ToolCall[];
  /** Ids of text and reasoning parts, for retraction. */
  readonly partIds: readonly string[];
  readonly sources: readonly Chunk[];
  readonly files: readonly Chunk[];
  text(): string;
  reasoningText(): string | undefined;
}

/** Starts an empty answer. */
export const createAnswer = (): Answer => {
  const parts: Part[] = [];
  const spans = new Map<string, TextSpan | ReasoningSpan>();
  const toolCalls: ToolCall[] = [];
  const sources: Chunk[] = [];
  const files: Chunk[] = [];
  const partIds: string[] = [];
  const takers: Partial<Record<string, (chunk: Chunk) => void>> = {
    'text-delta': ({ payload }) => addText(payload as SpanPayload),
    'text-end': ({ payload }) => addMetadata(`text:${(payload as SpanPayload).id}`, payload as SpanPayload),
    'reasoning-delta': ({ payload }) => addReasoning(payload as SpanPayload),
    'reasoning-end': ({ payload }) => addMetadata(`reasoning:${(payload as SpanPayload).id}`, payload as SpanPayload),
    'tool-call': ({ payload }) => addToolCall(payload as ToolCall & { providerMetadata?: Record<string, unknown> }),
    'tool-result': ({ payload }) => addToolResult(payload as { toolCallId: string; result?: unknown; providerExecuted?: boolean }),
    source: (chunk) => addSource(chunk),
    file: (chunk) => addFile(chunk),
  };
  const addText = ({ id, text = '', providerMetadata }: SpanPayload) => {
    let part = spans.get(`text:${id}`) as TextSpan | undefined;
    if (!part) {
      if (text === '' && !providerMetadata) return;
      if (parts.at(-1)?.type === 'tool-invocation') parts.push({ type: 'step-start' } as Part);
      part = { type: 'text', text: '' };
      spans.set(`text:${id}`, part);
      parts.push(part as Part);
      partIds.push(id);
    }
    part.text += text;
    if (providerMetadata) part.providerMetadata = providerMetadata;
  };
  const addReasoning = ({ id, text = '', providerMetadata }: SpanPayload) => {
    let part = spans.get(`reasoning:${id}`) as ReasoningSpan | undefined;
    if (!part) {
      part = { type: 'reasoning', reasoning: '', details: [{ type: 'text', text: '' }] };
      spans.set(`reasoning:${id}`, part);
      parts.push(part as Part);
      partIds.push(id);
    }
    part.reasoning += text;
    part.details = [{ type: 'text', text: part.reasoning }];
    if (providerMetadata) part.providerMetadata = providerMetadata;
  };
  const addMetadata = (key: string, { providerMetadata }: SpanPayload) => {
    const part = spans.get(key);
    if (part && providerMetadata) part.providerMetadata = providerMetadata;
  };
  const addToolCall = (payload: ToolCall & { providerMetadata?: Record<string, unknown> }) => {
    const { toolCallId, toolName, args, providerExecuted, providerMetadata } = payload;
    toolCalls.push({ toolCallId, toolName, args, providerExecuted });
    parts.push({
      type: 'tool-invocation',
      toolInvocation: { state: 'call', toolCallId, toolName, args },
      ...(providerMetadata && { providerMetadata }),
      ...(providerExecuted && { providerExecuted }),
    } as Part);
  };
  const addToolResult = ({ toolCallId, result }: { toolCallId: string; result?: unknown }) => {
    const part = parts.find((one) => one.type === 'tool-invocation' && one.toolInvocation.toolCallId === toolCallId);
    if (part?.type === 'tool-invocation') Object.assign(part.toolInvocation, { state: 'result', result });
  };
  const addSource = (chunk: Chunk) => {
    sources.push(chunk);
    const { id, url = '', title, providerMetadata } = chunk.payload as { id: string; url?: string; title?: string } & SpanPayload;
    parts.push({ type: 'source', source: { sourceType: 'url', id, url, title, providerMetadata } } as Part);
  };
  const addFile = (chunk: Chunk) => {
    files.push(chunk);
    const { data, mimeType } = chunk.payload as { data: unknown; mimeType: string };
    parts.push({ type: 'file', data, mimeType } as Part);
  };
  return {
    add: (chunk) => takers[chunk.type]?.(chunk),
    parts,
    toolCalls,
    partIds,
    sources,
    files,
    text: () => textOf(parts),
    reasoningText: () => reasoningOf(parts),
  };
};

interface TextSpan {
  type: 'text';
  text: string;
  providerMetadata?: Record<string, unknown>;
}

interface ReasoningSpan {
  type: 'reasoning';
  reasoning: string;
  details: { type: 'text'; text: string }[];
  providerMetadata?: Record<string, unknown>;
}

/** The text of a message's parts, in order. */
export const textOf = (parts: readonly Part[]): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

export const reasoningOf = (parts: readonly Part[]): string | undefined => {
  const text = parts.map((part) => (part.type === 'reasoning' ? part.reasoning : '')).join('');
  return text === '' ? undefined : text;
};
