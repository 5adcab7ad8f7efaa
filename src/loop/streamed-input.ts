import { isSame } from '../phase/plain-data.js';
import { argumentsOf } from '../stream/gate/chunk.js';
import { isGuarded } from './judge.js';
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
 * Whether streamed arguments differ from their calls, or have none: guards of whole responses judge only the calls, so that the content
 * of such a response is sent again.
 */
export const hasUnjudgedInput = ({ answer }: Attempt): boolean => {
  const streamed = Map.groupBy(answer.streamedInput.splice(0), ({ payload }) => (payload as CallPayload).toolCallId);
  return [...streamed].some(([id, chunks]) => {
    const call = answer.toolCalls.find(({ toolCallId }) => toolCallId === id);
    const payloads = chunks.map(({ payload }) => payload as CallPayload);
    const text = payloads.map(({ argsTextDelta = '' }) => argsTextDelta).join('');
    const isNamed = payloads.every(({ toolName }) => toolName === undefined || toolName === call?.toolName);
    return !call || !isNamed || (text !== '' && !isTextOf(text, call.args));
  });
};

const textOf = (args: unknown): string | undefined => (typeof args === 'string' ? args : JSON.stringify(args));

/** Whether a text contains the arguments and nothing else, such as a key twice; spaces between them do not count. */
const isTextOf = (text: string, args: unknown): boolean => {
  if (text === textOf(args)) return true;
  if (text.replaceAll(/\s/g, '') !== textOf(args)?.replaceAll(/\s/g, '')) return false;
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

const earlierCall = ({ scope, state: { list } }: Run, toolCallId: string): Omit<ToolCall, 'toolCallId'> | undefined =>
  findToolPart(
    scope.host.messages.read(list, 'all').flatMap(({ content }) => content.parts),
    toolCallId,
  )?.toolInvocation;
