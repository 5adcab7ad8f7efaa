import { isSame } from '../phase/plain-data.js';
import type { Chunk, ToolCall } from './ports.js';
import { findToolPart } from './response.js';
import type { Attempt, Run } from './run.js';

/** The fields of chunks that belong to a tool call. */
interface CallPayload {
  readonly toolCallId: string;
  readonly toolName?: string;
  readonly argsTextDelta?: string;
}

/**
 * Makes buffered chunks of tool calls match the answer, because guards of a whole answer judge nothing else. Streamed arguments that
 * differ from those of their call are replaced; those without a call, or of a call with invalid JSON, are removed, as are results
 * without a call.
 */
export const dropUnjudged = (run: Run, attempt: Attempt): void => {
  const { answer, heldResults, place } = attempt;
  if (answer.streamedCalls.length + answer.results.length + heldResults.length === 0) return;
  const parts = run.scope.host.messages.read(run.list, 'all').flatMap(({ content }) => content.parts);
  const hasCall = (toolCallId: string): boolean => findToolPart(parts, toolCallId) !== undefined;
  const isBuffered = run.options.streamBuffer.revise(place, undefined, (chunks) =>
    withJudgedInput(chunks, answer.toolCalls).filter(({ type, payload }) => type !== 'tool-result' || hasCall(idOf(payload))),
  );
  if (!isBuffered) return;
  answer.results.splice(0, Infinity, ...answer.results.filter(({ toolCallId }) => hasCall(toolCallId)));
  heldResults.splice(0, Infinity, ...heldResults.filter(({ payload }) => hasCall(idOf(payload))));
};

const idOf = (payload: unknown): string => (payload as CallPayload).toolCallId;

const inputTypes: ReadonlySet<string> = new Set([
  'tool-call-input-streaming-start',
  'tool-call-delta',
  'tool-call-input-streaming-end',
]);

const withJudgedInput = (chunks: readonly Chunk[], calls: readonly ToolCall[]): Chunk[] => {
  const judged = new Map(calls.map((call) => [call.toolCallId, call]));
  const texts = new Map<string, string>();
  for (const { type, payload } of chunks)
    if (type === 'tool-call-delta')
      texts.set(idOf(payload), (texts.get(idOf(payload)) ?? '') + ((payload as CallPayload).argsTextDelta ?? ''));
  const replaced = new Set<string>();
  return chunks.flatMap((chunk) => {
    if (!inputTypes.has(chunk.type)) return [chunk];
    const payload = chunk.payload as CallPayload;
    const call = judged.get(payload.toolCallId);
    if (!call) return [];
    const isNamed = payload.toolName === undefined || payload.toolName === call.toolName;
    const named = isNamed ? chunk : { ...chunk, payload: { ...payload, toolName: call.toolName } };
    if (chunk.type !== 'tool-call-delta') return [named];
    if (call.args === undefined || call.args === null || replaced.has(payload.toolCallId)) return [];
    if (isTextOf(texts.get(payload.toolCallId) ?? '', call.args)) return [named];
    replaced.add(payload.toolCallId);
    return [{ ...named, payload: { ...(named.payload as object), argsTextDelta: textOf(call.args) } }];
  });
};

const textOf = (args: unknown): string => (typeof args === 'string' ? args : JSON.stringify(args));

/** Whether a text contains the arguments and nothing else, such as a key twice; spaces between them do not count. */
const isTextOf = (text: string, args: unknown): boolean => {
  if (text === textOf(args)) return true;
  if (text.replaceAll(/\s/g, '') !== textOf(args).replaceAll(/\s/g, '')) return false;
  try {
    return isSame(JSON.parse(text), args);
  } catch {
    return false;
  }
};
