import type { Processor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { phases } from '../../phase/table.js';
import type { Conversation } from './memory.js';
import { addMissingParts, fillTextField, followParts } from '../messages/sync-text-content.js';
import { threadTitle, type Titling } from './memory-title.js';
import { forkList } from '../messages/list-insides.js';

/** The processors of memory around the guards of a call. */
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

/** The processors of Mastra's memory, bound to a conversation, and those that save an accepted answer. */
export const memoryProcessors = async (
  conversation: Conversation | undefined,
  { input, output, titling }: Around,
): Promise<MemoryProcessors> => {
  if (!conversation) return { before: [], after: [] };
  const { memory, updates } = conversation;
  const { requestContext } = titling;
  // Memory only checks which processors are already present; it accepts the same forms as Mastra's agents.
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

/** Gives recalled messages parts, so that guards see them like the caller's messages. */
const recalledParts: Processor = {
  id: 'recalled-parts',
  processInput: ({ messageList }) => {
    addMissingParts(messageList.get.all.db());
    return messageList;
  },
};

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
  return bound as unknown as Processor; // it has the hooks of a processor
};

/** The id of the processor with which Mastra's memory observes a conversation. */
const observational = 'observational-memory';

type Hooks = Required<Pick<Processor, 'processInputStep' | 'processOutputResult'>>;

/** Mastra's observational memory, split for a guarded run. */
interface ObservingAccepted {
  /** Loads the conversation and its observations, without saving or observing. */
  readonly recall: Processor;
  /** Saves an accepted answer. */
  readonly save: Processor;
  /** Observes a copy of the conversation with the accepted answer. */
  readonly observe: Processor;
}

/**
 * Mastra's processor saves and observes an answer while it is generated. Here the answer is first accepted, then saved, then
 * observed, so the observer never reads text that a guard removed or rejected. A failed observation does not fail the run: the
 * next turn repeats it.
 */
const observeAccepted = (processor: Processor, conversation: Conversation): ObservingAccepted => {
  const inner = processor as Processor & Hooks; // it has both
  const reading = { ...conversation.context, memoryConfig: { ...conversation.config, readOnly: true } };
  let called: Partial<Parameters<Hooks['processInputStep']>[0]> = {};
  return {
    recall: {
      id: observational,
      processInputStep: (args) => {
        const { model, providerOptions } = args;
        called = { model, providerOptions };
        args.requestContext?.set('MastraMemory', reading);
        return inner.processInputStep(args);
      },
    },
    save: { id: 'message-history', processOutputResult: (args) => inner.processOutputResult(args) },
    observe: {
      id: observational,
      processOutputResult: async (args) => {
        const messageList = forkList(args.messageList);
        try {
          // The arguments are the step fields that it reads. It would not observe a message with the id of the one that is written.
          const step = { ...args, ...called, messageList, stepNumber: 0, messageId: undefined, abort: fail };
          await inner.processInputStep(step as never);
          await inner.processOutputResult({ ...args, messageList });
        } catch (error) {
          args.abortSignal?.throwIfAborted();
          conversation.warn('Observational memory could not observe an accepted answer; it does after the next turn', { error });
        }
        return args.messageList;
      },
    },
  };
};

/** Reports the observer's `abort` as an error, because the run is already accepted. */
const fail = (reason?: string): never => {
  throw new Error(reason);
};

/**
 * Updates the fields of a message that repeat its parts. Guards edit parts; otherwise removed text would still be saved from the
 * fields, and found by semantic search.
 */
const messageMirrors: Processor = {
  id: 'message-mirrors',
  processOutputResult: ({ messageList }) => {
    for (const { content } of messageList.get.input.db()) followParts(content);
    for (const message of messageList.get.response.db()) fillTextField(message);
    return messageList;
  },
};
