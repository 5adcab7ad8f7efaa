import type { ToolHooks } from '@mastra/core/tools';
import { safely } from '../safely.js';

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
