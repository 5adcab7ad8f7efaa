import type { ToolHooks } from '@mastra/core/tools';
import { safely } from '../safely.js';

type Execute = (input: unknown, options: object) => unknown;

/** Calls that the loop makes; in these the loop calls the hooks, and Mastra's own wrapping stays out of the way. */
const loopCalls = new WeakSet<object>();

/**
 * An agent's tool hooks as Mastra's agent is to have them: they work in the loops that are Mastra's, and are silent in ours,
 * where the hooks of a call stand in for them and tools that a guard put in have them too.
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

/** Runs a tool between its hooks: before it they may answer in its place, after it they see its output or its error. */
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
