import { z } from 'zod';

import type { Chunks, ScriptedToolCall, ScriptedUsage } from './scripted-parts.js';

/** The server's response to one request. */
export type Reply = AnswerReply | ErrorReply | DropReply | HangReply | RawReply;

/** An answer with content. */
export type AnswerReply = TextReply | ReasoningTextReply | ToolCallsReply;

interface Answered {
  readonly usage?: ScriptedUsage;
  /** The value on the wire. Default: `tool_calls` after tool calls, else `stop`. */
  readonly finishReason?: 'stop' | 'length' | 'tool_calls' | 'content_filter' | (string & {});
}

interface TextReply extends Answered {
  readonly kind: 'text';
  readonly text: string;
  /** The deltas, or characters per delta. Default: one delta. */
  readonly chunks?: Chunks;
}

/** Reasoning first (`delta.reasoning_content`), then the text. */
interface ReasoningTextReply extends Answered {
  readonly kind: 'reasoning+text';
  readonly reasoning: string;
  readonly text: string;
  /** Characters per delta, in reasoning and text. Default: one delta each. */
  readonly chunks?: number;
}

interface ToolCallsReply extends Answered {
  readonly kind: 'tool-calls';
  readonly calls: readonly ScriptedToolCall[];
  /** Text before the calls. */
  readonly text?: string;
  /** The deltas of the text, or characters per delta. Default: one delta. */
  readonly chunks?: Chunks;
}

/** An HTTP error with the body of the API: `{ error: { message } }`. */
interface ErrorReply {
  readonly kind: 'error';
  readonly status: number;
  readonly message: string;
  /** For instance `retry-after` (seconds) with a 429. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Destroys the connection after this number of bytes of another reply's body. */
interface DropReply {
  readonly kind: 'drop';
  readonly after: AnswerReply | RawReply;
  readonly bytes: number;
}

/** Never ends, until the client leaves. */
interface HangReply {
  readonly kind: 'hang';
  /** Text deltas that are streamed first. Without it, and for a request without streaming, not even headers are sent. */
  readonly after?: readonly string[];
}

/** A body that is sent unchanged, for malformed streams. */
interface RawReply {
  readonly kind: 'raw';
  readonly body: string | Uint8Array;
  /** Default 200. */
  readonly status?: number;
  /** Default `content-type: text/event-stream`. */
  readonly headers?: Readonly<Record<string, string>>;
}

const textPartSchema = z.looseObject({ type: z.string(), text: z.string().optional() });

const toolCallSchema = z.looseObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});

const chatMessageSchema = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(textPartSchema), z.null()]).optional(),
  tool_calls: z.array(toolCallSchema).optional(),
  tool_call_id: z.string().optional(),
});

const chatToolSchema = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({ name: z.string(), parameters: z.unknown().optional() }),
});

/** The fields of a chat completion request that select replies; other fields are kept unchanged. */
export const chatRequestSchema = z.looseObject({
  model: z.string(),
  messages: z.array(chatMessageSchema),
  stream: z.boolean().optional(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  tools: z.array(chatToolSchema).optional(),
  tool_choice: z.unknown().optional(),
});

export type ChatRequest = z.infer<typeof chatRequestSchema>;
export type ChatMessage = ChatRequest['messages'][number];

/** The text of a message, its parts joined. */
export const messageText = ({ content }: ChatMessage): string =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('');
