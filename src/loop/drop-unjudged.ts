import { isSame } from '../phase/plain-data.js';
import { argumentsOf } from '../stream/gate/chunk.js';
import { agentChunk, emit, retract } from './emit.js';
import { isGuarded } from './judge.js';
import { editedAgain } from './late-edits.js';
import type { Chunk } from './ports.js';
import type { ToolCall } from './tool-call.js';
import { findToolPart, type ProviderResult } from './response.js';
import type { Attempt, Run } from './run.js';

/** Whether guards judge whole responses: they get calls and results as the conversation has them, not as the provider streamed them. */
const judgesWhole = (run: Run): boolean => isGuarded(run, 'outputStep') || isGuarded(run, 'outputResult');

/** The fields of chunks that belong to a tool call. */
interface CallPayload {
  readonly toolCallId: string;
  readonly toolName?: string;
  readonly argsTextDelta?: string;
}

/** Keeps a chunk that streams arguments, to compare it with its call. */
export const keepInput = (run: Run, { answer }: Attempt, chunk: Chunk): void => {
  if (argumentsOf(chunk) !== undefined && judgesWhole(run)) answer.streamedInput.push(chunk);
};

/**
 * Makes streamed arguments match their calls, because guards of whole responses judge nothing else. Buffered ones that differ are
 * replaced; those without a call, or of a call with invalid JSON, are removed. Emitted ones are retracted, and the call is emitted again.
 */
export const dropUnjudgedInput = async (run: Run, { answer, place }: Attempt): Promise<void> => {
  const streamed = answer.streamedInput.splice(0);
  if (streamed.length === 0) return;
  const judged = new Set(withJudgedInput(streamed, answer.toolCalls));
  const partIds = new Set(streamed.flatMap((chunk) => (judged.has(chunk) ? [] : [idOf(chunk.payload)])));
  if (partIds.size === 0) return;
  if (run.options.streamBuffer.revise(place, undefined, (chunks) => withJudgedInput(chunks, answer.toolCalls))) return;
  await retract(run, { partIds, place, scope: 'parts' });
  for (const id of partIds) {
    const others = new Map([[id, findToolPart(answer.parts, id)]]);
    if (!others.get(id)) answer.partIds.delete(id);
    for (const chunk of editedAgain({ others }, agentChunk(run, '', undefined))) await emit(run, chunk);
  }
};

const idOf = (payload: unknown): string => (payload as CallPayload).toolCallId;

const withJudgedInput = (chunks: readonly Chunk[], calls: readonly ToolCall[]): Chunk[] => {
  const judged = new Map(calls.map((call) => [call.toolCallId, call]));
  const texts = new Map<string, string>();
  for (const { type, payload } of chunks)
    if (type === 'tool-call-delta')
      texts.set(idOf(payload), (texts.get(idOf(payload)) ?? '') + ((payload as CallPayload).argsTextDelta ?? ''));
  const replaced = new Set<string>();
  return chunks.flatMap((chunk) => {
    if (argumentsOf(chunk) === undefined) return [chunk];
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

/**
 * The result of a provider's tool, with the name and the arguments of its call. Undefined if there is no such call and guards judge whole
 * responses, which cannot contain it.
 */
export const resultOfCall = (run: Run, { answer }: Attempt, chunk: Chunk): Chunk | undefined => {
  const result = chunk.payload as ProviderResult;
  const { toolCallId } = result;
  const call = answer.toolCalls.find((one) => one.toolCallId === toolCallId) ?? earlierCall(run, toolCallId);
  if (!call) return judgesWhole(run) ? undefined : chunk;
  const { toolName, args = call.args } = result;
  if (toolName === call.toolName && isSame(args, call.args)) return chunk;
  return { ...chunk, payload: { ...result, toolName: call.toolName, ...('args' in result && { args: call.args }) } };
};

const earlierCall = ({ scope, list }: Run, toolCallId: string): Omit<ToolCall, 'toolCallId'> | undefined =>
  findToolPart(
    scope.host.messages.read(list, 'all').flatMap(({ content }) => content.parts),
    toolCallId,
  )?.toolInvocation;
