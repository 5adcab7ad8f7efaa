import type { Agent } from '@mastra/core/agent';
import { MemoryRunState, type MastraMemory } from '@mastra/core/memory';
import { MASTRA_RESOURCE_ID_KEY, MASTRA_THREAD_ID_KEY, type RequestContext } from '@mastra/core/request-context';
import { InterlockError } from '../errors.js';

type Thread = NonNullable<Awaited<ReturnType<MastraMemory['getThreadById']>>>;
type MemoryConfig = Parameters<MastraMemory['createThread']>[0]['memoryConfig'];
type WantedThread = Partial<Thread> & { id: string };

/** Where a conversation is to be kept, as the caller says it. */
export interface MemoryTarget {
  thread?: string | WantedThread;
  resource?: string;
  options?: MemoryConfig;
}

/** Where a conversation is kept. */
export interface Conversation {
  readonly memory: MastraMemory;
  readonly threadId: string;
  readonly resourceId: string;
}

interface Opening {
  readonly agent: Agent;
  readonly target: MemoryTarget | undefined;
  readonly requestContext: RequestContext;
}

/**
 * Finds or makes the thread of a call and tells memory's own processors about it, the way Mastra's agent does. Ids that the
 * request's context holds win over the caller's: whoever put them there knows who is asking.
 *
 * Raises `agent/invalid-option` where the agent has no memory, an id is missing, or the thread is another resource's.
 */
export const openConversation = async ({ agent, target, requestContext }: Opening): Promise<Conversation | undefined> => {
  const memory = await agent.getMemory({ requestContext });
  if (!memory) {
    if (target) throw invalid('memory', 'the agent has no memory.');
    return undefined;
  }
  const wanted = wantedThread(target, requestContext);
  const resourceId = reserved(requestContext, MASTRA_RESOURCE_ID_KEY) ?? target?.resource;
  if (!wanted && !resourceId) return undefined;
  if (!wanted || !resourceId) throw invalid('memory', 'both thread and resource are needed.');
  const memoryConfig = target?.options;
  const thread = await openThread(memory, wanted, { resourceId, memoryConfig });
  const runState = new MemoryRunState({ memory, threadId: thread.id, resourceId, thread, ownershipValidated: true });
  requestContext.set('MastraMemory', { thread, resourceId, memoryConfig, runState: () => runState });
  return { memory, threadId: thread.id, resourceId };
};

const invalid = (path: string, detail: string): InterlockError => new InterlockError('agent/invalid-option', { path, detail });

const reserved = (requestContext: RequestContext, key: string): string | undefined => {
  const value: unknown = requestContext.get(key);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const wantedThread = (target: MemoryTarget | undefined, requestContext: RequestContext): WantedThread | undefined => {
  const thread = typeof target?.thread === 'string' ? { id: target.thread } : target?.thread;
  const id = reserved(requestContext, MASTRA_THREAD_ID_KEY) ?? thread?.id;
  return id ? { ...thread, id } : undefined;
};

interface Belonging {
  resourceId: string;
  memoryConfig: MemoryConfig;
}

const openThread = async (
  memory: MastraMemory,
  wanted: WantedThread,
  { resourceId, memoryConfig }: Belonging,
): Promise<Thread> => {
  const { id, title, metadata } = wanted;
  const known = await memory.getThreadById({ threadId: id });
  if (!known) return memory.createThread({ threadId: id, resourceId, title, metadata, memoryConfig, saveThread: true });
  if (known.resourceId !== resourceId) throw invalid('memory.resource', 'the thread belongs to another resource.');
  if (!metadata) return known;
  return memory.saveThread({ thread: { ...known, metadata: { ...known.metadata, ...metadata } }, memoryConfig });
};
