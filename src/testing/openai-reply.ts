import type { Chunks, ScriptedToolCall, ScriptedUsage } from './deltas.js';

/** The server's response to one request. */
export type Reply = AnswerReply | ErrorReply | DropReply | HangReply | RawReply;

/** An answer with content. */
export type AnswerReply = TextReply | ReasoningTextReply | ToolCallsReply;

interface Answered {
  readonly usage?: ScriptedUsage;
  /** The value on the wire. Default: `tool_calls` after tool calls, else `stop`. */
  readonly finishReason?: 'stop' | 'length' | 'tool_calls' | 'content_filter' | (string & {});
}

export interface TextReply extends Answered {
  readonly kind: 'text';
  readonly text: string;
  /** The deltas, or characters per delta. Default: one delta. */
  readonly chunks?: Chunks;
}

/** Reasoning first (`delta.reasoning_content`), then the text. */
export interface ReasoningTextReply extends Answered {
  readonly kind: 'reasoning+text';
  readonly reasoning: string;
  readonly text: string;
  /** Characters per delta, in reasoning and text. Default: one delta each. */
  readonly chunks?: number;
}

export interface ToolCallsReply extends Answered {
  readonly kind: 'tool-calls';
  readonly calls: readonly ScriptedToolCall[];
  /** Text before the calls. */
  readonly text?: string;
  /** The deltas of the text, or characters per delta. Default: one delta. */
  readonly chunks?: Chunks;
}

/** An HTTP error with the body of the API: `{ error: { message } }`. */
export interface ErrorReply {
  readonly kind: 'error';
  readonly status: number;
  readonly message: string;
  /** For instance `retry-after` (seconds) with a 429. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Destroys the connection after this number of bytes of another reply's body. */
export interface DropReply {
  readonly kind: 'drop';
  readonly after: AnswerReply | RawReply;
  readonly bytes: number;
}

/** Never ends, until the client leaves. */
export interface HangReply {
  readonly kind: 'hang';
  /** Text deltas that are streamed first. Without it, and for a request without streaming, not even headers are sent. */
  readonly after?: readonly string[];
}

/** A body that is sent unchanged, for malformed streams. */
export interface RawReply {
  readonly kind: 'raw';
  readonly body: string | Uint8Array;
  /** Default 200. */
  readonly status?: number;
  /** Default `content-type: text/event-stream`. */
  readonly headers?: Readonly<Record<string, string>>;
}
