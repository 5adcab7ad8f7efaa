import type { Processor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { phases } from '../../phase/table.js';
import type { Conversation } from './memory.js';
import { messageMirrors } from './memory-mirrors.js';
import { addMissingParts } from '../messages/sync-text-content.js';
import { threadTitle, type Titling } from './memory-title.js';
import { observational, observeAccepted } from './observe-accepted.js';

/** What stands around the guards of a call. */
interface MemoryProcessors {
  /** Loads the conversation. */
  readonly before: readonly Processor[];
  /** Saves the accepted answer. */
  readonly after: readonly Processor[];
}

interface Around {
  readonly input: readonly unknown[];
  readonly output: readonly unknown[];
  readonly titling: Titling;
}

/** The processors of Mastra's memory, made ready for a conversation, with what else is kept of an accepted answer. */
export const memoryProcessors = async (
  conversation: Conversation | undefined,
  { input, output, titling }: Around,
): Promise<MemoryProcessors> => {
  if (!conversation) return { before: [], after: [] };
  const { memory, updates } = conversation;
  const { requestContext } = titling;
  // Memory only asks which processors are already there; it takes what Mastra's agents take.
  const before = await memory.getInputProcessors([...input] as never, requestContext);
  const after = await memory.getOutputProcessors([...output] as never, requestContext);
  const observing = before.find(({ id }) => id === observational);
  const { recall, save, observe } = observing ? observeAccepted(observing, conversation) : {};
  const bound = (processors: readonly (Processor | undefined)[]) =>
    processors.flatMap((processor) => (processor ? [inConversation(processor, conversation)] : []));
  const own = after.filter(({ id }) => id !== observational);
  return {
    before: [...bound(before.map((processor) => (processor === observing ? recall : processor))), recalledParts],
    after: [messageMirrors, updates.processor, ...bound([...own, save, observe]), threadTitle(titling, conversation)],
  };
};

/** What memory brings in is seen by guards as parts, like what the caller sends. */
const recalledParts: Processor = {
  id: 'recalled-parts',
  processInput: ({ messageList }) => {
    addMissingParts(messageList.get.all.db());
    return messageList;
  },
};

type AnyHook = (args: { requestContext?: RequestContext }) => unknown;

/**
 * Memory's processors read from the request's context which thread is theirs. Others may share that context, and write there too:
 * sub-agents with a memory of their own, other runs. Each hook is given one in which this conversation stands.
 */
const inConversation = (processor: Processor, { context }: Conversation): Processor => {
  const { id, name, spanType, spanName, spanAttributes } = processor;
  const bound: Record<string, unknown> = { id, name, spanType, spanName, spanAttributes };
  for (const { hook } of Object.values(phases)) {
    const own = processor[hook] as AnyHook | undefined; // it is given its own arguments
    if (!own) continue;
    bound[hook] = (args: Parameters<AnyHook>[0]) => {
      const requestContext = new RequestContext(args.requestContext?.entries());
      requestContext.set('MastraMemory', context);
      return own.call(processor, { ...args, requestContext });
    };
  }
  return bound as unknown as Processor; // it has the hooks of one
};
