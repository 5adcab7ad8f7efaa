import type { AnswerReply, Reply, ChatRequest } from './openai-reply.js';
import { fullUsage, splitInto, splitText, toolInput } from './scripted-parts.js';
import { fieldsIn } from '../phase/plain-data.js';

/** A piece of a response body; `deltas` is the number of deltas that it completes. */
interface Frame {
  readonly bytes: Uint8Array;
  readonly deltas: 0 | 1;
}

/** The server's response to one request: the pure part, ready to be played on a socket. */
export interface Script {
  /** Undefined if the server sends nothing. */
  readonly head?: { readonly status: number; readonly headers: Readonly<Record<string, string>> };
  /** Produced one at a time, so that a client that does not read pauses the script too. */
  readonly frames: Iterable<Frame>;
  readonly end: 'finish' | 'destroy' | 'hang';
}

const encode = (text: string): Uint8Array => Buffer.from(text);
const json = { 'content-type': 'application/json' };
const eventStream = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

function* streamFrames(deltas: Iterable<Delta>, context: ScriptContext): Generator<Frame> {
  const chunk = envelope(context, 'chat.completion.chunk');
  yield event({ ...chunk, choices: [choice({ role: 'assistant', content: '' })] }, context);
  for (const delta of deltas) yield { ...event({ ...chunk, choices: [choice(delta)] }, context), deltas: 1 };
}

const choice = (delta: Delta, reason: string | null = null) => ({ index: 0, delta, finish_reason: reason });

const event = (data: unknown, { lineEnd }: ScriptContext): Frame => ({
  bytes: encode(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}${lineEnd}${lineEnd}`),
  deltas: 0,
});

function* answerFrames(reply: AnswerReply, deltas: readonly Delta[], context: ScriptContext): Generator<Frame> {
  const chunk = envelope(context, 'chat.completion.chunk');
  yield* streamFrames(deltas, context);
  yield event({ ...chunk, choices: [choice({}, finishReason(reply))] }, context);
  if (reply.usage || context.request.stream_options?.include_usage)
    yield event({ ...chunk, choices: [], usage: wireUsage(reply) }, context);
  yield event('[DONE]', context);
}

const answer = (reply: AnswerReply, context: ScriptContext): Script => {
  // Cut before the first byte leaves, so that a contradictory reply gets an error status.
  const deltas = [...contentDeltas(reply, context.index)];
  return context.request.stream
    ? { head: { status: 200, headers: eventStream }, frames: answerFrames(reply, deltas, context), end: 'finish' }
    : jsonScript(200, completion(reply, context));
};

const raw = ({ body, status = 200, headers = eventStream }: Extract<Reply, { kind: 'raw' }>): Script => ({
  head: { status, headers },
  frames: [{ bytes: typeof body === 'string' ? encode(body) : body, deltas: 0 }],
  end: 'finish',
});

const hang = (after: readonly string[] | undefined, context: ScriptContext): Script => {
  if (!after || !context.request.stream) return { frames: [], end: 'hang' };
  const deltas = after.map((content) => ({ content }));
  return { head: { status: 200, headers: eventStream }, frames: streamFrames(deltas, context), end: 'hang' };
};

function* firstBytes(frames: Iterable<Frame>, maxBytes: number): Generator<Frame> {
  let remaining = maxBytes;
  for (const { bytes, deltas } of frames) {
    if (remaining <= 0) return;
    const due = bytes.subarray(0, remaining);
    yield { bytes: due, deltas: due.length === bytes.length ? deltas : 0 };
    remaining -= due.length;
  }
}

const cutOff = (script: Script, maxBytes: number): Script => ({
  ...script,
  frames: firstBytes(script.frames, maxBytes),
  end: 'destroy',
});

/** A JSON response. */
export const jsonScript = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Script => ({
  head: { status, headers: { ...json, ...headers } },
  frames: [{ bytes: encode(JSON.stringify(body)), deltas: 0 }],
  end: 'finish',
});

/** An error response in the format of the API. */
export const errorScript = (status: number, message: string, headers?: Readonly<Record<string, string>>): Script => {
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  return jsonScript(status, { error: { message, type, param: null, code: null } }, headers);
};

/** Writes the script for a reply. */
export const toScript = (reply: Reply, context: ScriptContext): Script => {
  switch (reply.kind) {
    case 'text':
    case 'reasoning+text':
    case 'tool-calls':
      return answer(reply, context);
    case 'error':
      return errorScript(reply.status, reply.message, reply.headers);
    case 'drop':
      return cutOff(toScript(reply.after, context), reply.bytes);
    case 'hang':
      return hang(reply.after, context);
    case 'raw':
      return raw(reply);
    default:
      reply satisfies never;
      throw new TypeError(`There is no reply of kind ${JSON.stringify(fieldsIn(reply)['kind'])}.`);
  }
};

/** The context of a script. */
interface ScriptContext {
  readonly request: ChatRequest;
  /** The request's number on this server, from 0. */
  readonly index: number;
  /** The line end of the event stream. */
  readonly lineEnd: '\n' | '\r\n';
}

/** The `delta` of one streamed chunk. */
type Delta = Readonly<Record<string, unknown>>;

const callId = (index: number, at: number): string => `call_${index}_${at}`;

/** The usage in the format of the API. */
const wireUsage = (reply: AnswerReply) => {
  const { inputTokens, outputTokens, totalTokens } = fullUsage(reply.usage);
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: totalTokens };
};

/** The finish reason in the format of the API. */
const finishReason = (reply: AnswerReply): string => reply.finishReason ?? (reply.kind === 'tool-calls' ? 'tool_calls' : 'stop');

/** The common fields of every API object. */
const envelope = ({ request, index }: ScriptContext, object: string) => ({
  id: `chatcmpl-${index}`,
  object,
  created: 1_700_000_000 + index,
  model: request.model,
});

/** The content of an answer, cut into deltas. */
function* contentDeltas(reply: AnswerReply, index: number): Generator<Delta> {
  if (reply.kind === 'reasoning+text')
    for (const delta of splitText(reply.reasoning, reply.chunks)) yield { reasoning_content: delta };
  for (const delta of splitText(reply.text ?? '', reply.chunks)) yield { content: delta };
  if (reply.kind !== 'tool-calls') return;
  for (const [at, call] of reply.calls.entries()) {
    const opening = { name: call.name, arguments: '' };
    yield { tool_calls: [{ index: at, id: call.id ?? callId(index, at), type: 'function', function: opening }] };
    for (const fragment of splitInto(toolInput(call), call.fragments))
      yield { tool_calls: [{ index: at, function: { arguments: fragment } }] };
  }
}

/** An answer in one piece. */
const completion = (reply: AnswerReply, context: ScriptContext) => {
  const calls = reply.kind === 'tool-calls' ? reply.calls : [];
  const message = {
    role: 'assistant',
    content: reply.text ?? null,
    ...(reply.kind === 'reasoning+text' && { reasoning_content: reply.reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call, at) => ({
        id: call.id ?? callId(context.index, at),
        type: 'function',
        function: { name: call.name, arguments: toolInput(call) },
      })),
    }),
  };
  return {
    ...envelope(context, 'chat.completion'),
    choices: [{ index: 0, message, finish_reason: finishReason(reply) }],
    usage: wireUsage(reply),
  };
};
