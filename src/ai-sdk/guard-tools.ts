import type { ModelMessage, Tool, ToolExecutionOptions, ToolSet } from 'ai';
import { feedbackText } from '../loop/feedback-text.js';
import { messageOf } from '../loop/message-of.js';
import type { PhaseData } from '../phase/row.js';
import { InterlockError } from '../errors.js';
import { openConversation } from './conversation.js';
import { modelCodec, parseArguments } from './chunks.js';
import { judge } from './judge.js';
import { begin, isSharedRun, runsOf, type GuardOptions, type Guards, type Run } from './run.js';
import { ruledPart } from './call-rulings.js';
import type { Chunk, StreamPart } from './spec.js';
import { createStreamLane, type StreamLane } from './stream-lane.js';

/** One call of a tool. */
interface Call {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly args: unknown;
  readonly messages: readonly ModelMessage[];
}

type Execute = (input: unknown, options: ToolExecutionOptions<never>) => unknown;

/**
 * Puts guards around tools: no tool starts after guards ended the run, arguments that no guarded model call has judged go through
 * `processOutputStream` as the tool call that they are, and what a tool returns goes through `processToolResult` before anybody
 * sees it. Results that a tool yields on the way are withheld; the last one counts.
 *
 * A tool without `execute` is left as it is. A tool that is stopped rejects with the error that ended the run; the AI SDK tells
 * that as the tool's error, and the run ends before the next model call.
 *
 * Raises `ai-sdk/unhonoured-hook`, also for a tool that the provider runs where no guarded model judges its result;
 * `ai-sdk/invalid-option`, `pipeline/…`.
 *
 * @example
 * await generateText({ model, tools: guardTools({ search, fetchPage }, injectionGuards), prompt });
 */
export const guardTools = <TOOLS extends ToolSet>(tools: TOOLS, guards: Guards, options?: GuardOptions): TOOLS => {
  const nextRun = runsOf(guards, 'guardTools', options);
  if (!isSharedRun(guards)) refuseProviderTools(tools);
  const guarded = Object.entries(tools).map(([name, tool]) => [name, guardTool(name, tool, nextRun)]);
  return Object.fromEntries(guarded) as TOOLS; // each tool under its name, with another execute
};

const refuseProviderTools = (tools: ToolSet): void => {
  for (const [name, tool] of Object.entries(tools))
    if (tool.type === 'provider' && tool.isProviderExecuted)
      throw new InterlockError('ai-sdk/unhonoured-hook', { path: `tools.${name}`, detail: 'the provider runs it' });
};

const guardTool = (toolName: string, tool: Tool, nextRun: () => Run): Tool => {
  const { execute } = tool as { execute?: Execute };
  if (!execute) return tool;
  const guarded: Execute = async (input, options) => {
    const run = nextRun();
    await begin(run);
    const { toolCallId, messages } = options;
    const args = await judgeArguments(run, { toolName, toolCallId, args: input, messages });
    const call = { toolName, toolCallId, args, messages };
    const execution = runTool(run, () => execute.call(tool, args, { ...options, abortSignal: signalOf(run, options) }));
    const result = await execution.catch((error: unknown) => failAsJudged(run, call, error));
    return judgeResult(run, call, result);
  };
  const copy: Tool = Object.create(Object.getPrototypeOf(tool) as object) as Tool; // a tool may be of a class of its own
  return Object.assign(copy, tool, { execute: guarded });
};

const signalOf = (run: Run, { abortSignal }: { abortSignal?: AbortSignal }): AbortSignal =>
  abortSignal ? AbortSignal.any([run.signal, abortSignal]) : run.signal;

/** What the model's guards have seen goes on; other calls, such as those that a person approved, are judged here. */
const judgeArguments = async (run: Run, { toolName, toolCallId, args }: Call): Promise<unknown> => {
  refuseRejected(run, toolCallId);
  if (run.judgedCalls.has(toolCallId) || !run.plan.has('outputStream')) return args;
  const rule = (chunk: Chunk) => ruledPart(run, chunk);
  const lane = createStreamLane<StreamPart>(run, { codec: modelCodec, mayRetry: () => false, rule });
  const part: StreamPart = { type: 'tool-call', toolCallId, toolName, input: JSON.stringify(args ?? {}) };
  const left = await onlyPart(lane, part);
  refuseRejected(run, toolCallId);
  if (left === part) return args;
  if (left?.type === 'tool-call' && left.toolName === toolName) return parseArguments(left.input);
  throw new InterlockError('tool/unknown', { path: toolName, detail: 'a guard took the call out' });
};

/** What a lane leaves of a part that is alone in it; guards with windows may wait for the end of the answer. */
const onlyPart = async (lane: StreamLane<StreamPart>, part: StreamPart): Promise<StreamPart | undefined> => {
  const [left] = (await lane.push(part)).parts;
  if (left) return left;
  const { parts } = await lane.push({ type: 'finish', finishReason: { unified: 'tool-calls', raw: undefined }, usage: noUsage });
  const all = [...parts, ...(await lane.end()).parts];
  lane.close();
  return all.find(({ type }) => type === part.type);
};

const none = { total: undefined };
const noUsage = {
  inputTokens: { ...none, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { ...none, text: undefined, reasoning: undefined },
};

/** The model is told what the guard said, as the tool's error. */
const refuseRejected = ({ rejectedCalls }: Run, toolCallId: string): void => {
  if (rejectedCalls.has(toolCallId)) throw new Error(String(rejectedCalls.get(toolCallId)));
};

/** A tool's last result; whatever it does after guards ended the run counts no more. */
const runTool = async (run: Run, execute: () => unknown): Promise<unknown> => {
  try {
    let result: unknown = execute();
    if (isIterable(result)) result = await lastOf(result);
    return await result;
  } finally {
    run.throwIfStopped();
  }
};

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

const lastOf = async (results: AsyncIterable<unknown>): Promise<unknown> => {
  let last: unknown;
  for await (const result of results) last = result;
  return last;
};

/**
 * The result of a call as its guards left it. The answer that asked for it cannot be taken back: where a guard has another attempt
 * granted, the model is told why as the tool's error, and answers in the next step.
 */
const judgeResult = async (run: Run, call: Call, result: unknown): Promise<unknown> => {
  if (!run.plan.has('toolResult')) return result;
  const { data, again } = await judge<'toolResult'>(run, payloadOf(run, call, result));
  if (again !== undefined) throw new Error(feedbackText(again));
  return data.result;
};

/** Throws what the guards that ask for errors leave of what a tool threw. */
const failAsJudged = async (run: Run, call: Call, error: unknown): Promise<never> => {
  run.throwIfStopped();
  if (!run.plan.has('toolResult')) throw error;
  const text = messageOf(error);
  const { data, again } = await judge<'toolResult'>(run, { ...payloadOf(run, call, text), isError: true });
  if (again !== undefined) throw new Error(feedbackText(again));
  throw data.result === text ? error : new Error(String(data.result));
};

const payloadOf = (run: Run, { toolName, toolCallId, args, messages }: Call, result: unknown): PhaseData<'toolResult'> => {
  const asked = { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input: args }] } as const;
  const output = { type: 'json', value: result as never } as const; // guards see the value itself, whatever it is
  const answered = { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] } as const;
  const all = [...messages, asked, answered] as ModelMessage[]; // of constant parts
  const { list } = openConversation(run, all, { answeredFrom: messages.findLastIndex(({ role }) => role === 'user') + 1 });
  const { messages: port } = run.scope.host;
  return {
    phase: 'toolResult',
    messages: port.read(list, 'all'),
    messageList: list,
    systemMessages: port.readSystem(list),
    stepNumber: run.stepNumber,
    toolName,
    toolCallId,
    args,
    result,
    steps: [...run.steps] as never, // the AI SDK's own records
    retryCount: run.retries,
  };
};
