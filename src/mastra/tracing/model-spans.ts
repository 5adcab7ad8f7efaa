import { SpanType, type AIModelGenerationSpan, type AnySpan, type Span } from '@mastra/core/observability';
import { textOf, type Part } from '../../loop/response.js';
import type { StepRecord, StepSettings, TokenUsage } from '../../loop/ports.js';
import type { Run } from '../../loop/run.js';
import type { ToolCallInfo } from '../../phase/host.js';
import { definedFields, fieldsIn } from '../../phase/plain-data.js';
import { offeredTools, providerTools } from '../model/prompts.js';

/** Starts the span around all model calls of a run. */
export const startGeneration = (
  parent: AnySpan,
  {
    options: { ports, mode, settings },
    state: {
      counters: { modelIndex },
    },
  }: Run,
): AIModelGenerationSpan => {
  const { modelId, provider } = ports.models[modelIndex]?.model ?? {};
  const { tools } = providerTools(settings, 'v4');
  return parent.createChildSpan({
    type: SpanType.MODEL_GENERATION,
    name: `llm: '${modelId}'`,
    attributes: {
      model: modelId,
      provider,
      streaming: mode === 'stream',
      parameters: parametersOf(settings),
      ...(tools && {
        tools: tools.map((tool) => ({
          type: tool.type,
          name: tool.name,
          ...('inputSchema' in tool
            ? { description: tool.description, parameters: fieldsIn(tool.inputSchema) }
            : { id: tool.id }),
        })),
      }),
    },
  });
};

/** Settings of a model without headers, which may contain keys. */
const parametersOf = ({ modelSettings }: Partial<StepSettings>): Record<string, unknown> => {
  const { headers: _headers, ...parameters } = fieldsIn(modelSettings);
  return parameters;
};

/** The time of the first content of a step's response. */
export const respondedAt = ({ state: { attempt } }: Run): Date | undefined => {
  const { respondedAt: at } = attempt?.modelCall ?? {};
  return at === undefined ? undefined : new Date(performance.timeOrigin + at);
};

/** The provider's names for a response and its model. */
export const namesOf = ({ response = {} }: Partial<StepRecord> = {}) => {
  const { id, modelId } = response;
  return {
    ...(typeof id === 'string' && { responseId: id }),
    ...(typeof modelId === 'string' && { responseModel: modelId }),
  };
};

/** Ends the span of a model call, with a chunk for each part of its answer. */
export const endInference = (inference: Span<SpanType.MODEL_INFERENCE>, run: Run, isShown: boolean): void => {
  const { attempt } = run.state;
  const { finish, answer, response = {} } = attempt ?? {};
  const attributes = {
    usage: usageStats(finish?.usage),
    finishReason: finish?.reason,
    completionStartTime: respondedAt(run),
    ...(typeof response['modelId'] === 'string' && { responseModel: response['modelId'] }),
  };
  const chunks = isShown && answer ? answer.parts.flatMap(chunkOfPart) : [];
  for (const [sequenceNumber, { chunkType, output }] of chunks.entries())
    inference
      .createChildSpan({ type: SpanType.MODEL_CHUNK, name: `chunk: '${chunkType}'`, attributes: { chunkType, sequenceNumber } })
      .end({ output });
  inference.end({ attributes, ...(isShown && answer && { output: wordsOfParts(answer.parts) }) });
};

/** A part of an answer as a chunk in Mastra's traces. */
const chunkOfPart = (part: Part): { chunkType: string; output: object }[] => {
  if (part.type === 'text') return [{ chunkType: 'text', output: { text: part.text } }];
  if (part.type === 'reasoning') return [{ chunkType: 'reasoning', output: { text: part.reasoning } }];
  if (part.type !== 'tool-invocation') return [];
  const { toolCallId, toolName, args }: ToolCallInfo = part.toolInvocation;
  return [{ chunkType: 'tool-call', output: { toolName, toolCallId, toolInput: args } }];
};

/** The text and the tool calls of a model's answer. */
const wordsOfParts = (parts: readonly Part[]) => ({
  text: textOf(parts),
  toolCalls: parts.flatMap((part) => {
    if (part.type !== 'tool-invocation') return [];
    const { toolCallId, toolName, args }: ToolCallInfo = part.toolInvocation;
    return [{ toolCallId, toolName, args }];
  }),
});

/** Starts the span of a model call. */
export const startInference = (
  step: AnySpan,
  { options: { mode }, state: { attempt, counters } }: Run,
): Span<SpanType.MODEL_INFERENCE> => {
  const { modelId, provider } = attempt?.entry.model ?? {};
  const { settings = {} } = attempt ?? {};
  return step.createChildSpan({
    type: SpanType.MODEL_INFERENCE,
    name: `inference: ${counters.stepNumber}`,
    attributes: {
      model: modelId,
      provider,
      stepIndex: counters.stepNumber,
      streaming: mode === 'stream',
      parameters: parametersOf(settings),
      availableTools: offeredTools(settings).map(([name]) => name),
      toolChoice: settings.toolChoice,
      ...(settings.structuredOutput && { responseFormat: 'json_schema' as const }),
    },
  });
};

/** Token usage with the names of Mastra's traces; text is the part that is neither in a cache nor reasoning. */
export const usageStats = ({
  inputTokens,
  outputTokens,
  cachedInputTokens: cacheRead,
  cacheCreationInputTokens: cacheWrite,
  reasoningTokens: reasoning,
}: Partial<TokenUsage> = {}) => ({
  inputTokens,
  outputTokens,
  ...(inputTokens !== undefined && {
    inputDetails: {
      text: inputTokens - (cacheRead ?? 0) - (cacheWrite ?? 0),
      ...definedFields({ cacheRead, cacheWrite }),
    },
  }),
  ...(outputTokens !== undefined && {
    outputDetails: { text: outputTokens - (reasoning ?? 0), ...definedFields({ reasoning }) },
  }),
});

/** The text, tool calls and tool results of steps, after their guards. */
export const wordsOfSteps = (steps: readonly StepRecord[]) => ({
  text: steps.map(({ text }) => text).join(''),
  toolCalls: steps.flatMap((step) => step.toolCalls.map(({ toolCallId, toolName, args }) => ({ toolCallId, toolName, args }))),
  toolResults: steps.flatMap((step) =>
    step.toolResults.map(({ toolCallId, toolName, output }) => ({ toolCallId, toolName, result: output })),
  ),
});
