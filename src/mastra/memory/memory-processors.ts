import type { MessageList } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { phases } from '../../phase/table.js';
import type { Conversation } from './memory.js';
import { addMissingParts, fillTextField, followParts } from '../messages/sync-text-content.js';
import { threadTitle, type Titling } from './memory-title.js';
import { internal, isInternal } from '../internal-processors.js';
import { observational, observeAccepted } from './observational.js';

/** The processors of memory around the guards of a call. */
interface MemoryProcessors {
  /** Loads the conversation. */
  readonly before: readonly Processor[];
  /** Observes accepted content before a step, after the guards of the input. */
  readonly observing: readonly Processor[];
  /** Saves the accepted answer. */
  readonly after: readonly Processor[];
}

interface Around {
  readonly input: readonly unknown[];
  readonly output: readonly unknown[];
  readonly titling: Titling;
  /** True if a step is accepted before the end of the run: no guard of the whole answer may still reject or edit it. */
  readonly keepsSteps: boolean;
}

/** The processors of Mastra's memory, bound to a conversation, and those that save an accepted answer. */
export const memoryProcessors = async (
  conversation: Conversation | undefined,
  { input, output, titling, keepsSteps }: Around,
): Promise<MemoryProcessors> => {
  if (!conversation) return { before: [], observing: [], after: [] };
  const { memory, updates } = conversation;
  const { requestContext } = titling;
  // Memory only checks which processors are already present; it accepts the same forms as Mastra's agents.
  const before = await memory.getInputProcessors([...input] as never, requestContext);
  const after = await memory.getOutputProcessors([...output] as never, requestContext);
  const observing = before.find(({ id }) => id === observational);
  const { recall, observeStep, save, observe } = observing ? observeAccepted(observing, conversation, keepsSteps) : {};
  const bound = (processors: readonly (Processor | undefined)[]) =>
    processors.flatMap((processor) => (processor ? [inConversation(processor, conversation)] : []));
  const own = after.filter(({ id }) => id !== observational);
  return {
    before: [...bound(before.map((processor) => (processor === observing ? recall : processor))), recalledParts],
    observing: bound([observeStep]),
    after: [
      messageMirrors,
      internal(updates.processor),
      ...bound([...own, save, observe]),
      internal(threadTitle(titling, conversation)),
    ],
  };
};

/** Gives recalled messages parts, so that guards see them like the caller's messages. */
const recalledParts: Processor = internal({
  id: 'recalled-parts',
  processInput: ({ messageList }) => {
    addMissingParts(messageList.get.all.db());
    return messageList;
  },
});

type AnyHook = (args: { requestContext?: RequestContext }) => unknown;

/**
 * Memory's processors read their thread from the request context. Sub-agents with their own memory, or other runs, may share
 * that context and write to it. Each hook therefore gets a context with this conversation's thread.
 */
const inConversation = (processor: Processor, { context }: Conversation): Processor => {
  const { id, name, spanType, spanName, spanAttributes } = processor;
  const bound: Record<string, unknown> = { id, name, spanType, spanName, spanAttributes };
  for (const { hook } of Object.values(phases)) {
    const own = processor[hook] as AnyHook | undefined; // each hook gets its own arguments
    if (!own) continue;
    bound[hook] = (args: Parameters<AnyHook>[0]) => {
      const requestContext = new RequestContext(args.requestContext?.entries());
      requestContext.set('MastraMemory', context);
      return own.call(processor, { ...args, requestContext });
    };
  }
  const inThread = bound as unknown as Processor; // it has the hooks of a processor
  return isInternal(processor) ? internal(inThread) : inThread;
};

/** Joins an answer to the caller's last message if the answer continues it, as Mastra does: memory has one message for both. */
const joinContinued = (messageList: MessageList): void => {
  const all = messageList.get.all.db();
  const [answer] = messageList.get.response.db();
  const beginning = answer && all[all.indexOf(answer) - 1];
  if (!answer || beginning?.role !== 'assistant' || !messageList.get.input.db().includes(beginning)) return;
  answer.content.parts.unshift(...beginning.content.parts);
  messageList.removeByIds([beginning.id]);
};

/**
 * Updates the fields of a message that repeat its parts. Guards edit parts; otherwise removed text would still be saved from the
 * fields, and found by semantic search.
 */
const messageMirrors: Processor = internal({
  id: 'message-mirrors',
  processOutputResult: ({ messageList }) => {
    joinContinued(messageList);
    for (const { content } of messageList.get.input.db()) followParts(content);
    for (const message of messageList.get.response.db()) fillTextField(message);
    return messageList;
  },
});
