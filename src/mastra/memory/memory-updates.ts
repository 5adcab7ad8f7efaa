import type { MastraMemory } from '@mastra/core/memory';
import type { Processor } from '@mastra/core/processors';
import type { makeCoreTool } from '@mastra/core/utils';
import type { StepRecord, ToolCall } from '../../loop/ports.js';
import { inTurn } from './memory-turns.js';

type CoreTool = ReturnType<typeof makeCoreTool>;
type Execute = NonNullable<CoreTool['execute']>;

/** A tool of memory's, prepared twice. */
interface MemoryTool {
  /** Writes. */
  readonly real: CoreTool;
  /** Prepared with the rehearsal of its memory: does and answers the same, and writes nothing. */
  readonly rehearsed: CoreTool;
}

/** What the tools of memory are to write once the answer was accepted. */
export interface MemoryUpdates {
  /** The tool that the run uses in place of one of memory's. */
  defer(name: string, tool: MemoryTool): CoreTool;
  /** Writes updates; it runs before the processor that saves the response. */
  readonly processor: Processor;
}

/**
 * A memory that reads and does not write. What a model notes while it answers is part of the answer: it is not to be kept before
 * the answer is.
 */
export const rehearsalOf = (memory: MastraMemory): MastraMemory => {
  const instead: Partial<Record<PropertyKey, unknown>> = {
    updateWorkingMemory: () => Promise.resolve(),
    __experimental_updateWorkingMemoryVNext: () => Promise.resolve(),
    createThread: (thread: Parameters<MastraMemory['createThread']>[0]) => memory.createThread({ ...thread, saveThread: false }),
  };
  return new Proxy(memory, {
    get: (target, name) => {
      const own: unknown = instead[name] ?? Reflect.get(target, name, target);
      return typeof own === 'function' ? own.bind(target) : own; // some of its fields are private to its class
    },
  });
};

/**
 * Puts off what the tools of memory write: while the model answers they are rehearsed, and those calls that stand in the accepted
 * answer are made once it was accepted, in their order.
 */
export const createMemoryUpdates = (memory: MastraMemory, resourceId: string): MemoryUpdates => {
  const tools = new Map<string, CoreTool>();
  // By id and by what they say: an equal call of a later attempt is answered with the result of the first.
  const rehearsals = new Map<string, Parameters<Execute>[1]>();
  const dueCall = (call: ToolCall, isAnswered: boolean): (() => unknown)[] => {
    const tool = tools.get(call.toolName);
    const options = keysOf(call).flatMap((key) => rehearsals.get(key) ?? [])[0] ?? (isAnswered ? elsewhere(call) : undefined);
    return tool?.execute && options ? [() => tool.execute?.(call.args, options)] : [];
  };
  return {
    defer: (name, { real, rehearsed }) => {
      tools.set(name, real);
      const execute: Execute = async (args, options) => {
        const result: unknown = await rehearsed.execute?.(args, options);
        for (const key of keysOf({ toolCallId: options.toolCallId, toolName: name, args })) rehearsals.set(key, options);
        return result;
      };
      return { ...real, execute };
    },
    processor: {
      id: 'memory-updates',
      processOutputResult: async ({ result, messageList }) => {
        const steps = result.steps as unknown as StepRecord[]; // the loop's own; of those that were rejected no call is left
        const answered = new Set(steps.flatMap(({ toolResults }) => toolResults).map(({ toolCallId }) => toolCallId));
        const due = steps.flatMap(({ toolCalls }) => toolCalls).flatMap((call) => dueCall(call, answered.has(call.toolCallId)));
        if (due.length > 0)
          await inTurn(memory, `working-memory ${resourceId}`, async () => {
            for (const make of due) await make();
          });
        return messageList;
      },
    },
  };
};

/** A call with a result that was rehearsed in another process, as it is made here. */
const elsewhere = ({ toolCallId }: ToolCall): Parameters<Execute>[1] => ({ toolCallId, messages: [] });

const keysOf = ({ toolCallId, toolName, args }: ToolCall): string[] => [toolCallId, JSON.stringify([toolName, args])];
