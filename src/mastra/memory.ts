import type { MessageList } from '@mastra/core/agent/message-list';
import type { MastraMemory } from '@mastra/core/memory';
import type { RequestContext } from '@mastra/core/request-context';
import { InterlockError } from '../errors.js';

/** Where a conversation is kept. */
export interface MemoryTarget {
  thread?: string | { id: string; title?: string; metadata?: Record<string, unknown> };
  resource?: string;
  options?: unknown;
}

/** Finds or makes the thread and tells memory's own processors about it, the way Mastra's agent does. */
export const openThread = async (
  memory: MastraMemory,
  { thread, resource, options }: MemoryTarget,
  requestContext: RequestContext,
): Promise<{ threadId: string; resourceId: string }> => {
  const wanted = typeof thread === 'string' ? { id: thread } : thread;
  if (!wanted?.id || !resource)
    throw new InterlockError('agent/invalid-option', { path: 'memory', detail: 'both thread and resource are needed.' });
  const known = await memory.getThreadById({ threadId: wanted.id });
  if (known && known.resourceId !== resource)
    throw new InterlockError('agent/invalid-option', { path: 'memory.resource', detail: 'the thread belongs to another resource.' });
  const memoryConfig = options as Parameters<MastraMemory['createThread']>[0]['memoryConfig'];
  const opened =
    known ??
    (await memory.createThread({
      threadId: wanted.id,
      resourceId: resource,
      title: 'title' in wanted ? wanted.title : undefined,
      metadata: 'metadata' in wanted ? wanted.metadata : undefined,
      memoryConfig,
      saveThread: true,
    }));
  requestContext.set('MastraMemory', { thread: opened, resourceId: resource, memoryConfig });
  return { threadId: opened.id, resourceId: resource };
};

/** A list for a conversation in a thread. */
export type ListOptions = ConstructorParameters<typeof MessageList>[0];
