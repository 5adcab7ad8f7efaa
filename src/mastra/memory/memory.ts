import type { Agent } from '@mastra/core/agent';
import * as mastraMemory from '@mastra/core/memory';
import type { MastraMemory } from '@mastra/core/memory';
import { MASTRA_RESOURCE_ID_KEY, MASTRA_THREAD_ID_KEY, type RequestContext } from '@mastra/core/request-context';
import { InterlockError } from '../../errors.js';
import { isSame, computed } from '../../phase/plain-data.js';
import type { Processor } from '@mastra/core/processors';
import type { makeCoreTool } from '@mastra/core/utils';
import type { StepRecord } from '../../loop/ports.js';
import type { ToolCall } from '../../loop/tool-call.js';
import { createKeyedQueue } from '../keyed-queue.js';

// older versions lack an export of it, and are rejected with an error

/** The merged options of a memory and of the call. */
type MemoryConfig = ReturnType<MastraMemory['getMergedThreadConfig']>;

type Thread = NonNullable<Awaited<ReturnType<MastraMemory['getThreadById']>>>;
type WantedThread = Partial<Thread> & { id: string };

/** The caller's memory options: where a conversation is stored. */
export interface MemoryTarget {
  thread?: string | WantedThread;
  resource?: string;
  options?: MemoryConfig;
  /** Called with the new title of a thread. */
  onTitleGenerated?: (title: string) => unknown;
}

/** The location of a stored conversation. */
export interface Conversation {
  readonly memory: MastraMemory;
  readonly threadId: string;
  readonly resourceId: string;
  readonly config: MemoryConfig;
  /** The value that memory's processors read from the request context, as Mastra's agent sets it. */
  readonly context: object;
  readonly updates: MemoryUpdates;
  /** Writes a warning to the application's log. */
  warn(message: string, details: object): void;
}

/**
 * Finds or creates the thread of a call and passes it to memory's own processors, as Mastra's agent does.
 *
 * Raises `agent/invalid-option` when an id is missing or the thread belongs to another resource, and
 * `agent/unsupported-option` for options of memory that the loop does not support.
 */
export const openConversation = async (
  agent: Agent,
  target: MemoryTarget | undefined,
  requestContext: RequestContext,
): Promise<Conversation | undefined> => {
  const memory = await agent.getMemory({ requestContext });
  const warn = (message: string, details: object): void => agent.getMastraInstance()?.getLogger()?.warn(message, details);
  if (!memory) {
    // Mastra's networks and tools set a thread for every agent that they call; as in Mastra, an agent without memory logs a
    // warning and continues.
    if (target) warn('No memory is configured, so thread and resource are not used', { agent: agent.id });
    return undefined;
  }
  const { threadId: id, resourceId } = requestedIds(target, requestContext);
  if (!id && !resourceId) return undefined;
  if (!id || !resourceId) throw invalid('memory', 'both thread and resource are needed.');
  const config = memory.getMergedThreadConfig(target?.options);
  checkMemory(config);
  // Memory's processors check only the options of the call for `readOnly`, not the memory's own.
  const memoryConfig = config.readOnly ? { ...target?.options, readOnly: true } : target?.options;
  const wanted = { ...(typeof target?.thread === 'object' && target.thread), id };
  const thread = await openThread(memory, wanted, { resourceId, memoryConfig });
  const threadId = thread.id;
  const runState = new mastraMemory.MemoryRunState({ memory, threadId, resourceId, thread, ownershipValidated: true });
  const context = { thread, resourceId, memoryConfig, runState: () => runState };
  requestContext.set('MastraMemory', context);
  return { memory, threadId, resourceId, config, context, updates: createMemoryUpdates(memory, resourceId), warn };
};

/** Rejects an option of memory that would have no effect. Raises `agent/unsupported-option`. */
export const checkMemory = ({ workingMemory }: MemoryConfig): void => {
  if (workingMemory === undefined || !('useStateSignals' in workingMemory) || workingMemory.useStateSignals !== true) return;
  throw new InterlockError('agent/unsupported-option', {
    path: 'memory.options.workingMemory.useStateSignals',
    detail: 'only the loop of Mastra’s agent sends state signals; remove it, and working memory becomes a system message.',
  });
};

const invalid = (path: string, detail: string): InterlockError => new InterlockError('agent/invalid-option', { path, detail });

/** The thread and resource of a call, also of one without memory: its tools, sub-agents and gateways get them. */
export interface Owner {
  readonly threadId: string | undefined;
  readonly resourceId: string | undefined;
}

/** The ids of the requested conversation. Those in the request context override the caller's, because the server sets them. */
export const requestedIds = ({ thread, resource }: MemoryTarget = {}, requestContext?: RequestContext): Owner => {
  const reserved = (key: string): string | undefined => {
    const value: unknown = requestContext?.get(key);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  return {
    threadId: reserved(MASTRA_THREAD_ID_KEY) ?? (typeof thread === 'string' ? thread : thread?.id),
    resourceId: reserved(MASTRA_RESOURCE_ID_KEY) ?? resource,
  };
};

interface Belonging {
  resourceId: string;
  memoryConfig: MemoryConfig | undefined;
}

/** The current thread, with the caller's metadata. Two calls that open it at the same time do not undo each other's changes. */
const openThread = async (memory: MastraMemory, wanted: WantedThread, belonging: Belonging): Promise<Thread> => {
  const known = await ownThread(memory, wanted.id, belonging);
  if (known && hasMetadata(known, wanted)) return known;
  return inTurn(memory, `thread ${wanted.id}`, () => writeThread(memory, wanted, belonging));
};

const ownThread = async (memory: MastraMemory, threadId: string, { resourceId }: Belonging): Promise<Thread | null> => {
  const known = await memory.getThreadById({ threadId });
  if (known && known.resourceId !== resourceId) throw invalid('memory.resource', 'the thread belongs to another resource.');
  return known;
};

const writeThread = async (memory: MastraMemory, wanted: WantedThread, belonging: Belonging): Promise<Thread> => {
  const { id, title, metadata } = wanted;
  const { memoryConfig } = belonging;
  const known = await ownThread(memory, id, belonging);
  if (!known) return memory.createThread({ ...belonging, threadId: id, title, metadata, saveThread: true });
  if (hasMetadata(known, wanted)) return known;
  return changeThread(memory, { id, metadata: { ...known.metadata, ...metadata } }, memoryConfig);
};

/**
 * Changes only the given fields of a thread, because its title may be in progress elsewhere. Memories without `updateThread` save
 * the whole thread.
 */
export const changeThread = async (
  memory: MastraMemory,
  change: Pick<Thread, 'id'> & (Pick<Thread, 'title'> | Pick<Thread, 'metadata'>),
  memoryConfig: MemoryConfig | undefined,
): Promise<Thread> => {
  if (typeof memory.updateThread === 'function') return memory.updateThread({ ...change, memoryConfig });
  const known = await memory.getThreadById({ threadId: change.id });
  return memory.saveThread({ thread: { ...(known as Thread), ...change }, memoryConfig });
};

/** True if a thread already has the caller's metadata. */
const hasMetadata = (known: Thread, { metadata }: WantedThread): boolean =>
  Object.entries(metadata ?? {}).every(([name, value]) => isSame(known.metadata?.[name], value));

type CoreTool = ReturnType<typeof makeCoreTool>;
type Execute = NonNullable<CoreTool['execute']>;

/** Writes of memory's tools, deferred until the answer is accepted. */
type MemoryUpdates = ReturnType<typeof createMemoryUpdates>;

/**
 * Defers the writes of memory's tools. During the answer they run without writing; the calls in the accepted answer are then
 * repeated with writes, in order.
 */
const createMemoryUpdates = (memory: MastraMemory, resourceId: string) => {
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
    /**
     * The replacement for a tool of memory during the run.
     *
     * @param real the tool that writes
     * @param rehearsed prepared with a memory that does not write: same work and result, without writes
     */
    defer: (name: string, real: CoreTool, rehearsed: CoreTool): CoreTool => {
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
const inTurn = <T>(memory: MastraMemory, part: string, work: () => Promise<T>): Promise<T> =>
  computed(queues, memory, createKeyedQueue)(part, work);
