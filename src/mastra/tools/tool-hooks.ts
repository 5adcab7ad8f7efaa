import type { ToolHooks } from '@mastra/core/tools';
import { safely } from '../safely.js';
import type { Chunk } from '../../loop/ports.js';
import type { Run } from '../../loop/run.js';
import { mayRejectCalls } from '../../loop/judge.js';
import { findTool } from './tools.js';

type Execute = (input: unknown, options: object) => unknown;

/** Calls by the loop, which calls the hooks itself, so that Mastra's wrapper must not. */
const loopCalls = new WeakSet<object>();

/**
 * An agent's tool hooks for Mastra's agent. They are only active in Mastra's loops. In ours, a call's hooks replace them, and
 * they also apply to tools that a guard added.
 */
export const hooksForMastra = (hooks: ToolHooks | undefined): ToolHooks | undefined =>
  hooks && {
    beforeToolCall: (call) => (isLoopCall(call.context) ? undefined : hooks.beforeToolCall?.(call)),
    afterToolCall: (call) => (isLoopCall(call.context) ? undefined : hooks.afterToolCall?.(call)),
  };

const isLoopCall = (options: unknown): boolean => typeof options === 'object' && options !== null && loopCalls.has(options);

/** The caller of a tool, as hooks receive it. */
interface HookedCall {
  readonly toolName: string;
  readonly metadata: { agentId: string; agentName: string };
}

/** Runs a tool between its hooks. The first may replace the output; the second gets the output or the error. */
export const executeWithHooks = (execute: Execute, hooks: ToolHooks | undefined, about: HookedCall): Execute => {
  return async (input, options) => {
    loopCalls.add(options);
    const call = { ...about, input, context: options };
    const before = await hooks?.beforeToolCall?.(call);
    if (before?.proceed === false) return before.output;
    let output: unknown;
    try {
      output = await execute(input, options);
    } catch (error) {
      await safely(hooks?.afterToolCall, { ...call, output, error });
      throw error;
    }
    await hooks?.afterToolCall?.({ ...call, output });
    return output;
  };
};

export interface StreamedInputTool {
  onInputStart?: (event: never) => unknown;
  onInputDelta?: (event: never) => unknown;
}

interface InputPayload {
  readonly toolCallId: string;
  readonly toolName?: string;
  readonly argsTextDelta?: string;
}

/** Adds its tool to each piece of streamed arguments, as Mastra's agent does: providers name it only at their start. */
export const namesInput = (): ((chunk: Chunk) => Chunk) => {
  const names = new Map<string, string | undefined>();
  return (chunk) => {
    const payload = chunk.payload as InputPayload; // of these two types
    if (chunk.type === 'tool-call-input-streaming-start') names.set(payload.toolCallId, payload.toolName);
    if (chunk.type !== 'tool-call-delta' || payload.toolName !== undefined) return chunk;
    return { ...chunk, payload: { ...payload, toolName: names.get(payload.toolCallId) } };
  };
};

/**
 * Passes arguments to tools while they stream. When a guard may still reject the call, its tool gets them with the accepted
 * call, see `runTool`.
 */
export const createToolNotifier = (runOf: () => Run | undefined): ((chunk: Chunk) => void) => {
  return ({ type, payload }) => {
    if (type !== 'tool-call-input-streaming-start' && type !== 'tool-call-delta') return;
    const run = runOf();
    if (!run || mayRejectCalls(run)) return; // buffered by an earlier run segment, which has already passed it on
    const {
      signal: abortSignal,
      state: { attempt, list },
    } = run;
    const { toolCallId, toolName = '', argsTextDelta } = payload as InputPayload;
    const tool = attempt && (findTool(attempt.settings, toolName)?.[1] as StreamedInputTool | undefined);
    const isStart = type === 'tool-call-input-streaming-start';
    const listener = isStart ? tool?.onInputStart : tool?.onInputDelta;
    if (!listener) return;
    const event = { toolCallId, messages: list.get.input.aiV5.model(), abortSignal };
    void safely(listener, isStart ? event : { ...event, inputTextDelta: argsTextDelta });
  };
};
