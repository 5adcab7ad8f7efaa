import { plain } from './plain.js';
import type { Played } from './play.js';
import type { SpanNode } from './span-tree.js';

type Json = Record<string, unknown>;

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

const pick = (value: unknown, ...names: string[]): Json =>
  isJson(value) ? Object.fromEntries(names.flatMap((name) => (value[name] === undefined ? [] : [[name, value[name]]]))) : {};

const tokens = ['inputTokens', 'outputTokens', 'totalTokens', 'reasoningTokens', 'cachedInputTokens', 'cacheCreationInputTokens'];

const usage = (value: unknown) => pick(value, ...tokens);

const content = [
  'text',
  'toolCallId',
  'toolName',
  'args',
  'argsTextDelta',
  'result',
  'error',
  'object',
  'reason',
  'processorId',
  'metadata',
];

interface Chunk {
  readonly type: string;
  readonly payload?: Json;
  readonly data?: unknown;
  readonly object?: unknown;
}

/** A chunk without what repeats the whole run; a chunk in the stream of a sub-agent, too. */
const chunkView = ({ type, payload = {}, data, object }: Chunk): Json => {
  const { output, stepResult } = payload;
  if (type === 'tool-output') return { type, output: isJson(output) ? chunkView(output as unknown as Chunk) : output };
  if (type === 'step-finish' || type === 'finish')
    return { type, reason: pick(stepResult, 'reason', 'isContinued'), usage: usage((output as Json | undefined)?.['usage']) };
  return { type, ...pick(payload, ...content), ...(data !== undefined && { data }), ...(object !== undefined && { object }) };
};

/** A stream starts with `start`, ends with `finish`, and has no `response-metadata`. */
const isExtra = ({ type, payload }: Chunk): boolean =>
  type === 'response-metadata' ||
  (type === 'tool-output' && isJson(payload?.['output']) && isExtra(payload['output'] as unknown as Chunk));

const itemView = (item: unknown) =>
  isJson(item) ? pick(item['payload'], 'toolCallId', 'toolName', 'args', 'result', 'providerMetadata') : item;

const stepView = (step: Json): Json => ({
  ...pick(step, 'text', 'finishReason'),
  usage: usage(step['usage']),
  toolCalls: (step['toolCalls'] as unknown[]).map(itemView),
  toolResults: (step['toolResults'] as unknown[]).map(itemView),
});

const callView = (call: unknown): unknown => {
  if (!isJson(call) || 'failed' in call) return call;
  const { chunks, steps, toolCalls, toolResults, ...rest } = call;
  return {
    ...(Array.isArray(chunks) && { chunks: (chunks as Chunk[]).filter((chunk) => !isExtra(chunk)).map(chunkView) }),
    ...pick(rest, 'text', 'object', 'finishReason', 'reasoningText', 'failed'),
    tripwire: pick(rest['tripwire'], 'reason', 'processorId', 'metadata'),
    usage: usage(rest['usage']),
    totalUsage: usage(rest['totalUsage']),
    toolCalls: ((toolCalls ?? []) as unknown[]).map(itemView),
    toolResults: ((toolResults ?? []) as unknown[]).map(itemView),
    steps: ((steps ?? []) as Json[]).map(stepView),
  };
};

const shownSpans = /^(agent_run|model_\w+|tool_call|memory_operation|mapping|workflow_(?!step)\w+|scorer\w*)$/;

/** The spans of agents, models, tools and memory. Those of processors are compared in test/mastra/spans.test.ts. */
const spanView = ({ type, name, attributes, output, children }: SpanNode): Json => ({
  type,
  name,
  ...(/^(agent_run|model_(generation|step|inference|chunk)|tool_call)$/.test(type) && {
    ...pick(attributes, 'usage', 'finishReason', 'toolCallId', 'chunkType'),
    ...(type === 'model_generation' && pick(attributes, 'parameters', 'tools', 'responseModel')),
    output: type === 'tool_call' ? output : pick(output, 'text', 'object', 'toolName', 'toolInput', 'toolOutput'),
  }),
  children: children
    .filter((child) => shownSpans.test(child.type) && !/^workflow run: .*processor/.test(child.name))
    .map(spanView),
});

/** The comparable record of an application's run, with the same names for ids, times and ports. */
export const view = ({ talks, workflows, requests, spans }: Played): Json => {
  const all = plain({ talks, workflows, requests, spans }) as Json & { talks: Record<string, Json>; spans: SpanNode[] };
  return {
    talks: Object.fromEntries(
      Object.entries(all.talks).map(([name, talk]) => [name, { ...talk, calls: (talk['calls'] as unknown[]).map(callView) }]),
    ),
    workflows: all['workflows'],
    requests: all['requests'],
    spans: all.spans.map(spanView),
  };
};
