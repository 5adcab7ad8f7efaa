import type { ModelMessage, Tool } from 'ai';
import { feedbackText } from '../loop/conversation.js';
import { messageOf } from '../errors.js';
import { isSame, fieldsIn } from '../phase/plain-data.js';
import type { PhaseData } from '../phase/row.js';
import type { Retry } from '../verdict.js';
import { answersIn, openConversation } from './conversation.js';
import { followRetry } from './follow-retry.js';
import { judge, payloadOf, type JudgeOptions } from './judge.js';
import { openLane } from './lane.js';
import { isClean } from './model-port.js';
import { followResultEdits } from './recorded-steps.js';
import type { Call } from './ruled-calls.js';
import type { Run } from './run.js';

export type ToModelOutput = NonNullable<Tool['toModelOutput']>;
type ModelOutput = Awaited<ReturnType<ToModelOutput>>;

/** A call of a tool that runs. */
export interface ToolRun extends Call {
  readonly tool: Tool;
  /** The values that the model reads in place of the tool's latest results, as guards left it; by call id. */
  readonly outputs: Map<string, { readonly result: unknown; readonly output: ModelOutput }>;
}

/** Tools that runs share keep no more outputs than those of the calls that are under way. */
const maxOutputs = 1_000;

/**
 * The result of a call after its guards. The response that made the call cannot be retracted. When a guard's retry is granted, the model
 * gets the reason as the tool's error and responds in the next step.
 */
export const judgeResult = async (run: Run, call: Call, result: unknown): Promise<unknown> => {
  const left = run.plan.has('toolResult') ? await judged(run, call, { result }) : result;
  return judgedInStream(run, call, { type: 'tool-result', value: left });
};

/**
 * Has guards judge what the model reads in place of a result, as if it were the result. The model reads the result itself if a guard cannot
 * judge the other form, or replaces it by something else.
 */
export const judgeModelOutput = async (run: Run, call: ToolRun, result: unknown): Promise<void> => {
  const { tool, toolCallId, args, outputs } = call;
  const own = await modelOutputOf(tool, { toolCallId, input: args, output: result });
  if (own === undefined || isSame(fieldsIn(own)['value'], result)) return;
  const read = run.plan.has('toolResult') ? await judged(run, call, { result: own, mayBeUnreadable: true }) : own;
  const left = read && (await judgedInStream(run, call, { type: 'tool-result', value: read }));
  const isForm = typeof fieldsIn(left)['type'] === 'string';
  outputs.set(toolCallId, { result, output: (isForm ? left : plainOutput(result)) as ModelOutput });
  const [oldest] = outputs.keys();
  if (oldest !== undefined && outputs.size > maxOutputs) outputs.delete(oldest);
};

const modelOutputOf = async (tool: Tool, call: object): Promise<unknown> => {
  try {
    return await tool.toModelOutput?.(call as Parameters<ToModelOutput>[0]); // typed by the tool
  } catch {
    return undefined; // the AI SDK calls it again, and fails
  }
};

const plainOutput = (output: unknown): object =>
  typeof output === 'string' ? { type: 'text', value: output } : { type: 'json', value: output ?? null };

/** The result or error of a tool. */
interface Outcome {
  readonly type: 'tool-result' | 'tool-error';
  readonly value: unknown;
}

/**
 * The version of the guards of the stream. The AI SDK emits the same that the model gets, so that a removed result is null for both. Without
 * a guarded model {@link toStreamTransform} judges it.
 */
const judgedInStream = async (run: Run, call: Call, { type, value }: Outcome): Promise<unknown> => {
  if (!run.plan.has('outputStream') || !run.adapters.has('withGuards')) return value;
  const { toolName, toolCallId, args } = call;
  const field = type === 'tool-result' ? 'result' : 'error';
  const lane = openLane(run, { before: withCall(call), onRetry: (retry) => retryError(run, retry) });
  try {
    const payload = { [field]: value, toolName, toolCallId, args };
    const chunks = [...(await lane.push({ type, runId: run.id, from: 'AGENT', payload })), ...(await lane.end())];
    const left = chunks.find((chunk) => chunk.type === type);
    if (left) return fieldsIn(left.payload)[field];
    return type === 'tool-result' ? null : new Error('A guard removed the error.');
  } finally {
    lane.close();
  }
};

const retryError = (run: Run, retry: Retry): Error => {
  followRetry(run, retry);
  return new Error(feedbackText(retry.reason));
};

/**
 * Throws the guards' version of a tool's error. Guards edit its message only: if they change that, or find something in its fields or its
 * cause, a new error with the message alone replaces it.
 */
export const failAsJudged = async (run: Run, call: Call, error: unknown): Promise<never> => {
  run.throwIfStopped();
  const left = run.plan.has('toolResult') ? await judgedError(run, call, error) : error;
  throw await judgedInStream(run, call, { type: 'tool-error', value: left });
};

const judgedError = async (run: Run, call: Call, error: unknown): Promise<unknown> => {
  const text = messageOf(error);
  const left = await judged(run, call, { result: text, isError: true });
  const isWhole = left === text && (await isClean(run, { type: 'tool-error', payload: { error } }));
  return isWhole ? error : new Error(String(left));
};

type JudgedResult = Pick<PhaseData<'toolResult'>, 'result' | 'isError'> & Pick<JudgeOptions, 'mayBeUnreadable'>;

/** The conversation with the call. */
const withCall = ({ toolName, toolCallId, args, messages }: Call): readonly ModelMessage[] => [
  ...messages,
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input: args }] },
];

const judged = async (run: Run, call: Call, { mayBeUnreadable, ...toolResult }: JudgedResult): Promise<unknown> => {
  const { toolName, toolCallId, args, messages } = call;
  const output = { type: 'json', value: toolResult.result as never } as const; // guards see the value itself, of any type
  const answered = { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] } as const;
  const all = [...withCall(call), answered] as ModelMessage[]; // of constant parts
  const conversation = openConversation(run, all, [...answersIn(run.state, messages), true]);
  const payload: PhaseData<'toolResult'> = {
    phase: 'toolResult',
    ...payloadOf(run, conversation.list),
    stepNumber: run.state.stepNumber,
    toolName,
    toolCallId,
    args,
    ...toolResult,
    steps: [...run.state.steps] as never, // the AI SDK's own records
  };
  const { data, retry } = await judge(run, payload, { mayBeUnreadable });
  if (retry) throw retryError(run, retry);
  followResultEdits(run, conversation, toolCallId);
  return data.result;
};
