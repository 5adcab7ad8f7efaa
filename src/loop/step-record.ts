import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { withoutQuotations } from '../guard/read-fields.js';
import { fileKey, findToolPart, sourceFields, textOf, type Part } from './response.js';
import type { Chunk, StepRecord, StepTripwire, TokenUsage, ToolCallRecord, ToolResultRecord } from './ports.js';
import type { ToolCall } from './tool-call.js';
import { agentChunk } from './emit.js';
import { acceptedSteps, positionOf, type Attempt, type ResponseStep, type Run } from './run.js';
import { fieldsIn } from '../phase/plain-data.js';

/** Unknown usage. */
export const noUsage: TokenUsage = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };

/** The current state of an attempt, in the shape of a step's result. */
export const recordStep = (run: Run, attempt: Attempt): StepRecord => {
  const { answer, finish } = attempt;
  // The provider's raw body may contain text that guards removed; only `processLLMResponse` gets it.
  const { body: _body, ...response } = attempt.response;
  return {
    ...positionOf(run),
    stepType: acceptedSteps(run).length > 0 ? 'tool-result' : 'initial',
    ...wordsOf(run, answer.parts),
    files: [...answer.files],
    sources: [...answer.sources],
    toolCalls: answer.toolCalls.map((call) => toolCallRecord(run, { ...call, providerExecuted: isProviderRun(attempt, call) })),
    toolResults: [],
    finishReason: finish?.reason,
    ...(finish?.rawReason !== undefined && { rawReason: finish.rawReason }),
    usage: finish?.usage ?? noUsage,
    warnings: [...attempt.warnings],
    request: { ...fieldsIn(attempt.request) }, // an object, if there is one
    response,
    providerMetadata: finish?.providerMetadata,
    reason: undefined,
  };
};

/** An attempt as a step of the response. */
export const responseStep = ({ answer: { partIds, spans }, place, partCount }: Attempt, record: StepRecord): ResponseStep => ({
  record,
  partIds,
  spans,
  place: place ?? 0,
  partCount,
});

/** Some providers show only by the result that they ran the tool. */
const isProviderRun = ({ answer, heldResults }: Attempt, { toolCallId, providerExecuted }: ToolCall): boolean | undefined =>
  providerExecuted ||
  answer.results.some((result) => result.toolCallId === toolCallId) ||
  heldResults.some(({ payload }) => fieldsIn(payload)['toolCallId'] === toolCallId) ||
  undefined;

const toolCallRecord = (run: Run, call: ToolCall): ToolCallRecord => ({
  ...agentChunk(run, 'tool-call', { ...call }),
  ...call,
  input: call.args,
});

/** A call's result in both shapes in use: Mastra's chunk and the AI SDK's flat fields. */
export const toolResultRecord = (run: Run, call: ToolCall, result: unknown): ToolResultRecord => {
  const { toolCallId, toolName, args, providerExecuted } = call;
  const payload = { toolCallId, toolName, args, result, ...(providerExecuted && { providerExecuted }) };
  return { ...agentChunk(run, 'tool-result', payload), toolCallId, toolName, input: args, output: result };
};

/** The step fields with the content of message parts. */
const wordsOf = (run: Run, parts: readonly Part[]): Pick<StepRecord, 'text' | 'reasoningText' | 'reasoning' | 'content'> => ({
  text: textOf(parts),
  reasoningText: reasoningOf(parts),
  reasoning: parts.flatMap((part, index) =>
    part.type === 'reasoning'
      ? [agentChunk(run, 'reasoning', { id: String(index), text: part.reasoning, ...metadataOf(part, 'providerMetadata') })]
      : [],
  ),
  content: parts.flatMap(contentOf),
});

/** A message part in the shape of the AI SDK's step content. */
const contentOf = (part: Part): object[] => {
  const options = metadataOf(part, 'providerOptions');
  if (part.type === 'text') return [{ type: 'text', text: part.text, ...options }];
  if (part.type === 'reasoning') return [{ type: 'reasoning', text: part.reasoning, ...options }];
  if (part.type === 'file')
    return [{ type: 'file', file: { type: 'file', mediaType: part.mimeType, base64: fileKey(part.data) } }];
  if (part.type !== 'tool-invocation') return [];
  const { toolCallId, toolName, args } = part.toolInvocation;
  const { providerExecuted } = part;
  return [{ type: 'tool-call', toolCallId, toolName, input: args, ...(providerExecuted && { providerExecuted }), ...options }];
};

/** The provider's metadata of a part, under the reader's name for it; empty if there is none. */
const metadataOf = (part: Part, name: string): object => {
  const metadata = 'providerMetadata' in part ? part.providerMetadata : undefined;
  return metadata ? { [name]: metadata } : {};
};

/** Reduces the metadata of an edited response to what the provider needs back: the rest may quote removed content. */
export const stripQuotedMetadata = (parts: readonly Part[]): void => {
  for (const part of parts)
    if ('providerMetadata' in part) Object.assign(part, { providerMetadata: withoutQuotations(part.providerMetadata) });
};

/** The parts of this run's response so far, as the conversation has them now; those of a single message are its own array. */
export const responseParts = (run: Run, list = run.state.list): readonly Part[] => {
  const isOwn = ({ id, role }: MastraDBMessage) => role === 'assistant' && !run.options.before?.messageIds.has(id);
  const [first, ...others] = run.scope.host.messages.read(list, 'response').filter(isOwn);
  const parts = first?.content.parts ?? [];
  return others.length > 0 ? parts.concat(...others.map(({ content }) => content.parts)) : parts;
};

/** The number of parts of accepted steps. */
export const acceptedParts = ({ state: { accepted } }: Run): number =>
  accepted.reduce((sum, { partCount }) => sum + partCount, 0);

interface CurrentParts {
  /** The parts of the step. */
  readonly own: readonly Part[];
  /** All parts of the response. */
  readonly all: readonly Part[];
  /** Whether guards edited the step: the provider's records may then repeat removed content. */
  readonly isChanged: boolean;
}

/**
 * Updates a step's record to the guards' version: its text is that of the step's own parts; its calls, results, sources and files are
 * those that are still anywhere in the response.
 */
export const followParts = (run: Run, record: StepRecord, { own, all, isChanged }: CurrentParts): void => {
  if (isChanged) {
    record.providerMetadata = withoutQuotations(record.providerMetadata);
    stripQuotedMetadata(own);
  }
  Object.assign(record, wordsOf(run, own));
  record.toolCalls = record.toolCalls.flatMap((call) => currentCall(call, all));
  record.toolResults = record.toolResults.flatMap((result) => currentResult(result, all));
  record.sources = record.sources.flatMap((chunk) => currentSource(chunk, all));
  record.files = record.files.filter((chunk) => all.some((part) => isFile(part, chunk)));
};

/** A call as its message has it: a guard may have edited its name or arguments, or removed it. */
const currentCall = (call: ToolCallRecord, parts: readonly Part[]): ToolCallRecord[] => {
  const part = findToolPart(parts, call.toolCallId);
  if (!part) return [];
  const { args, toolName } = part.toolInvocation;
  if (args === call.args && toolName === call.toolName) return [call];
  return [{ ...call, toolName, args, input: args, payload: { ...fieldsIn(call.payload), toolName, args } }];
};

const currentResult = (record: ToolResultRecord, parts: readonly Part[]): ToolResultRecord[] => {
  const invocation = findToolPart(parts, record.toolCallId)?.toolInvocation;
  if (invocation?.state !== 'result') return [];
  const { args, toolName, result } = invocation;
  return [{ ...record, payload: { ...fieldsIn(record.payload), toolName, args, result }, toolName, input: args, output: result }];
};

const currentSource = (chunk: Chunk, parts: readonly Part[]): Chunk[] => {
  const payload = fieldsIn(chunk.payload);
  const part = parts.find((one) => one.type === 'source' && one.source.id === payload['id']);
  if (part?.type !== 'source') return [];
  const now = sourceFields(part);
  const isSame = Object.entries(now).every(([name, value]) => value === (payload[name] ?? value));
  return [isSame ? chunk : { ...chunk, payload: { ...payload, ...now } }];
};

const isFile = (part: Part, { payload }: Chunk): boolean =>
  part.type === 'file' && fileKey(part.data) === fileKey(fieldsIn(payload)['data']);

/** A request without the provider's record of it, which repeats earlier responses. */
export const withoutBody = (request: StepRecord['request']): StepRecord['request'] => {
  const { body: _body, ...rest } = fieldsIn(request);
  return rest;
};

/** A rejected attempt stays in the list of steps, without its text. */
export const rejectRecord = (run: Run, record: StepRecord, tripwire: StepTripwire | undefined): void => {
  Object.assign(record, wordsOf(run, []), {
    tripwire,
    files: [],
    sources: [],
    toolCalls: [],
    toolResults: [],
    providerMetadata: undefined,
    request: withoutBody(record.request),
  } satisfies Partial<StepRecord>);
};

/** The reasoning in a message's parts, in order; undefined if there is none. */
const reasoningOf = (parts: readonly Part[]): string | undefined => {
  const text = parts.map((part) => (part.type === 'reasoning' ? part.reasoning : '')).join('');
  return text === '' ? undefined : text;
};
