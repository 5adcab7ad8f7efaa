import type { Agent } from '@mastra/core/agent';
import * as mastraMemory from '@mastra/core/memory'; // older versions lack an export of it, and are rejected with an error
import type { MastraMemory } from '@mastra/core/memory';
import { MASTRA_RESOURCE_ID_KEY, MASTRA_THREAD_ID_KEY, type RequestContext } from '@mastra/core/request-context';
import { InterlockError } from '../../errors.js';
import { isSame } from '../../phase/plain-data.js';
import { checkMemory, type MemoryConfig } from './memory-config.js';
import { inTurn } from './memory-turns.js';
import { createMemoryUpdates, type MemoryUpdates } from './memory-updates.js';

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

interface OpenConversationOptions {
  readonly agent: Agent;
  readonly target: MemoryTarget | undefined;
  readonly requestContext: RequestContext;
}

/**
 * Finds or creates the thread of a call and passes it to memory's own processors, as Mastra's agent does. Ids in the request
 * context override the caller's, because the server sets them.
 *
 * Raises `agent/invalid-option` when an id is missing or the thread belongs to another resource, and
 * `agent/unsupported-option` for options of memory that the loop does not support.
 */
export const openConversation = async ({
  agent,
  target,
  requestContext,
}: OpenConversationOptions): Promise<Conversation | undefined> => {
  const memory = await agent.getMemory({ requestContext });
  const warn = (message: string, details: object): void => agent.getMastraInstance()?.getLogger()?.warn(message, details);
  if (!memory) {
    // Mastra's networks and tools set a thread for every agent that they call; as in Mastra, an agent without memory logs a
    // warning and continues.
    if (target) warn('No memory is configured, so thread and resource are not used', { agent: agent.id });
    return undefined;
  }
  const wanted = requestedThread(target, requestContext);
  const resourceId = reserved(requestContext, MASTRA_RESOURCE_ID_KEY) ?? target?.resource;
  if (!wanted && !resourceId) return undefined;
  if (!wanted || !resourceId) throw invalid('memory', 'both thread and resource are needed.');
  const config = memory.getMergedThreadConfig(target?.options);
  checkMemory(config);
  // Memory's processors check only the options of the call for `readOnly`, not the memory's own.
  const memoryConfig = config.readOnly ? { ...target?.options, readOnly: true } : target?.options;
  const thread = await openThread(memory, wanted, { resourceId, memoryConfig });
  const threadId = thread.id;
  const runState = new mastraMemory.MemoryRunState({ memory, threadId, resourceId, thread, ownershipValidated: true });
  const context = { thread, resourceId, memoryConfig, runState: () => runState };
  requestContext.set('MastraMemory', context);
  return { memory, threadId, resourceId, config, context, updates: createMemoryUpdates(memory, resourceId), warn };
};

const invalid = (path: string, detail: string): InterlockError => new InterlockError('agent/invalid-option', { path, detail });

const reserved = (requestContext: RequestContext, key: string): string | undefined => {
  const value: unknown = requestContext.get(key);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const requestedThread = (target: MemoryTarget | undefined, requestContext: RequestContext): WantedThread | undefined => {
  const thread = typeof target?.thread === 'string' ? { id: target.thread } : target?.thread;
  const id = reserved(requestContext, MASTRA_THREAD_ID_KEY) ?? thread?.id;
  return id ? { ...thread, id } : undefined;
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
