import { fullUsage, splitInto, splitText, toolInput } from './deltas.js';
import type { AnswerReply } from './openai-reply.js';
import type { ChatRequest } from './openai-request.js';

/** What a script is written for. */
export interface ScriptContext {
  readonly request: ChatRequest;
  /** The request's number on this server, from 0. */
  readonly index: number;
  /** The line end of the event stream. */
  readonly lineEnd: '\n' | '\r\n';
}

/** The `delta` of one streamed chunk. */
export type Delta = Readonly<Record<string, unknown>>;

const callId = (index: number, at: number): string => `call_${index}_${at}`;

/** The usage in the API's words. */
export const wireUsage = (reply: AnswerReply) => {
  const { inputTokens, outputTokens, totalTokens } = fullUsage(reply.usage);
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: totalTokens };
};

/** The finish reason in the API's words. */
export const finishReason = (reply: AnswerReply): string =>
  reply.finishReason ?? (reply.kind === 'tool-calls' ? 'tool_calls' : 'stop');

/** What every object of the API carries. */
export const envelope = ({ request, index }: ScriptContext, object: string) => ({
  id: `chatcmpl-${index}`,
  object,
  created: 1_700_000_000 + index,
  model: request.model,
});

/** The content of an answer, cut into deltas. */
export function* contentDeltas(reply: AnswerReply, index: number): Generator<Delta> {
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
export const completion = (reply: AnswerReply, context: ScriptContext) => {
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
