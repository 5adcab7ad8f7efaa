import type { MastraMemory } from '@mastra/core/memory';
import type { Processor } from '@mastra/core/processors';
import type { makeCoreTool } from '@mastra/core/utils';
import type { StepRecord } from '../../loop/ports.js';
import type { ToolCall } from '../../loop/tool-call.js';
import { withStandIns } from '../stand-ins.js';
import { createKeyedQueue } from '../keyed-queue.js';

type CoreTool = ReturnType<typeof makeCoreTool>;
type Execute = NonNullable<CoreTool['execute']>;

/** A tool of memory, prepared twice. */
interface MemoryTool {
  /** The tool that writes. */
  readonly real: CoreTool;
  /** Prepared with a memory that does not write: same work and result, without writes. */
  readonly rehearsed: CoreTool;
}

/** Writes of memory's tools, deferred until the answer is accepted. */
export type MemoryUpdates = ReturnType<typeof createMemoryUpdates>;

/**
 * A memory that reads but does not write. A model's notes are part of its answer, so they must not be saved before the answer is
 * accepted.
 */
export const rehearsalOf = (memory: MastraMemory): MastraMemory =>
  withStandIns(memory, {
    updateWorkingMemory: () => () => Promise.resolve(),
    __experimental_updateWorkingMemoryVNext: () => () => Promise.resolve(),
    createThread: () => (thread: Parameters<MastraMemory['createThread']>[0]) =>
      memory.createThread({ ...thread, saveThread: false }),
  });

/**
 * Defers the writes of memory's tools. During the answer they run without writing; the calls in the accepted answer are then
 * repeated with writes, in order.
 */
export const createMemoryUpdates = (memory: MastraMemory, resourceId: string) => {
  const tools = new Map<string, CoreTool>();
  // By id, and by name and arguments: an equal call of a later attempt gets the result of the first.
  const rehearsals = new Map<string, Parameters<Execute>[1]>();
  const dueCall = (call: ToolCall, isAnswered: boolean): (() => unknown)[] => {
    const tool = tools.get(call.toolName);
    const options = keysOf(call).flatMap((key) => rehearsals.get(key) ?? [])[0] ?? (isAnswered ? elsewhere(call) : undefined);
    return tool?.execute && options ? [() => tool.execute?.(call.args, options)] : [];
  };
  /** Writes updates; it runs before the processor that saves the response. */
  const processor: Processor = {
    id: 'memory-updates',
    processOutputResult: async ({ result, messageList }) => {
      const steps = result.steps as unknown as StepRecord[]; // the loop's own records; rejected ones contain no calls
      const answered = new Set(steps.flatMap(({ toolResults }) => toolResults).map(({ toolCallId }) => toolCallId));
      const due = steps.flatMap(({ toolCalls }) => toolCalls).flatMap((call) => dueCall(call, answered.has(call.toolCallId)));
      if (due.length > 0)
        await inTurn(memory, `working-memory ${resourceId}`, async () => {
          for (const make of due) await make();
        });
      return messageList;
    },
  };
  return {
    processor,
    /** The replacement for a tool of memory during the run. */
    defer: (name: string, { real, rehearsed }: MemoryTool): CoreTool => {
      tools.set(name, real);
      const execute: Execute = async (args, options) => {
        const result: unknown = await rehearsed.execute?.(args, options);
        for (const key of keysOf({ toolCallId: options.toolCallId, toolName: name, args })) rehearsals.set(key, options);
        return result;
      };
      return { ...real, execute };
    },
  };
};

/** Options for a call that was rehearsed in another process. */
const elsewhere = ({ toolCallId }: ToolCall): Parameters<Execute>[1] => ({ toolCallId, messages: [] });

const keysOf = ({ toolCallId, toolName, args }: ToolCall): string[] => [toolCallId, JSON.stringify([toolName, args])];

const queues = new WeakMap<MastraMemory, ReturnType<typeof createKeyedQueue>>();

/**
 * Runs work on a part of a memory after all earlier work on that part, so that a read and the write that depends on it are not
 * interleaved with another run's, like Mastra's own order of such writes.
 */
export const inTurn = <T>(memory: MastraMemory, part: string, work: () => Promise<T>): Promise<T> => {
  const queue = queues.get(memory) ?? createKeyedQueue();
  queues.set(memory, queue);
  return queue(part, work);
};
