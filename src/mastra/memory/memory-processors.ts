import type { MessageList } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import { RequestContext } from '@mastra/core/request-context';
import { pick } from '../../phase/plain-data.js';
import { phases } from '../../phase/table.js';
import type { Conversation } from './memory.js';
import { addMissingParts, fillTextFields } from '../messages/conversion.js';
import { threadTitle, type Titling } from './memory-title.js';
import { internal, isInternal } from '../internal-processors.js';
import { forkList } from '../messages/list-insides.js';
import { toPrompt } from '../model/prompts.js';

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
) => {
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
  const bound: Processor = pick(processor, 'id', 'name', 'spanType', 'spanName', 'spanAttributes');
  for (const { hook } of Object.values(phases)) {
    const own = processor[hook] as AnyHook | undefined; // each hook gets its own arguments
    if (!own) continue;
    const inThread: AnyHook = (args) => {
      const requestContext = new RequestContext(args.requestContext?.entries());
      requestContext.set('MastraMemory', context);
      return own.call(processor, { ...args, requestContext });
    };
    Object.assign(bound, { [hook]: inThread });
  }
  return isInternal(processor) ? internal(bound) : bound;
};

/** Joins an answer to the caller's last message if the answer continues it, as Mastra does: memory has one message for both. */
const joinContinued = (messageList: MessageList): void => {
  const all = messageList.get.all.db();
  const [answer] = messageList.get.response.db();
  const beginning = answer && all[all.indexOf(answer) - 1];
  if (!answer || beginning?.role !== 'assistant' || !messageList.get.input.db().includes(beginning)) return;
  const { parts } = answer.content;
  const isNext = parts[0]?.type === 'text' && beginning.content.parts.at(-1)?.type === 'tool-invocation';
  parts.unshift(...beginning.content.parts, ...(isNext ? [{ type: 'step-start' as const }] : []));
  messageList.removeByIds([beginning.id]);
  Object.assign(answer, { id: beginning.id, createdAt: beginning.createdAt }); // a stored copy has that id
};

/**
 * Updates the fields of a message that repeat its parts. Guards edit parts; otherwise removed text would still be saved from the
 * fields, and found by semantic search.
 */
const messageMirrors: Processor = internal({
  id: 'message-mirrors',
  processOutputResult: ({ messageList }) => {
    joinContinued(messageList);
    fillTextFields(messageList);
    return messageList;
  },
});

/** The id of the processor with which Mastra's memory observes a conversation. */
const observational = 'observational-memory';

type Hooks = Required<Pick<Processor, 'processInputStep' | 'processOutputResult'>>;
type StepArgs = Parameters<Hooks['processInputStep']>[0];

/**
 * Mastra's processor saves and observes an answer while it is generated. Here the content is first accepted, then saved, then
 * observed, always in a copy of the conversation, so the observer never reads text that a guard removed or rejected: before a step
 * the accepted steps, at the end the answer. Guards see the whole conversation of the run; the model does not get the messages of
 * it that were observed, but the observations. A failed observation does not fail the run: the next one repeats it.
 *
 * @param keepsSteps false if a guard of the whole answer may still reject or edit its steps; then only the answer is observed
 */
const observeAccepted = (
  processor: Processor,
  conversation: Conversation,
  keepsSteps: boolean,
): Record<'recall' | 'observeStep' | 'save' | 'observe', Processor> => {
  const inner = processor as Processor & Hooks; // it has both
  const observed = createObserved();
  const recalls = recallWith(inner, conversation);
  /** Runs an observation whose failure does not fail the run. */
  const observing = async ({ abortSignal }: { abortSignal?: AbortSignal }, observe: () => Promise<void>): Promise<void> => {
    try {
      await observe();
    } catch (error) {
      abortSignal?.throwIfAborted();
      conversation.warn('Observational memory could not observe accepted content; it does later', { error });
    }
  };
  let called: Partial<StepArgs> = {};
  return {
    recall: {
      id: observational,
      processInputStep: (args) => {
        const { model, providerOptions } = args;
        called = { model, providerOptions };
        return recalls(args);
      },
      processLLMRequest: ({ messageList, model }) => observed.promptOf(messageList, model),
    },
    observeStep: internal({
      id: 'observe-step',
      processInputStep: async (args) => {
        if (args.stepNumber > 0 && !keepsSteps) return args.messageList;
        await observing(args, () => observeStep(inner, args, observed));
        return recalls(args);
      },
    }),
    save: {
      id: 'message-history',
      processOutputResult: async (args) => {
        await inner.processOutputResult({ ...args, messageList: observed.without(args.messageList) });
        return args.messageList;
      },
    },
    observe: {
      id: observational,
      processOutputResult: async (args) => {
        await observing(args, async () => {
          const messageList = observed.without(args.messageList);
          // The arguments are the step fields that it reads. It would not observe a message with the id of the one that is written.
          const step = { ...args, ...called, messageList, stepNumber: 0, messageId: undefined, abort: fail };
          await inner.processInputStep(step as never);
          await inner.processOutputResult({ ...args, messageList });
        });
        return args.messageList;
      },
    },
  };
};

/** Loads the conversation and its observations: those of now, so without the state of the run, which has those of its start. */
const recallWith = (inner: Hooks, { context, config }: Conversation) => {
  const reading = { ...context, memoryConfig: { ...config, readOnly: true }, runState: () => undefined };
  return (args: StepArgs) => {
    args.requestContext?.set('MastraMemory', reading);
    return inner.processInputStep(args);
  };
};

type RequestHook = NonNullable<Processor['processLLMRequest']>;
type RequestReply = Awaited<ReturnType<RequestHook>>;
type Model = Parameters<RequestHook>[0]['model'];

/** The messages that were observed in a run. They stay in its conversation, for its guards and its result. */
type Observed = ReturnType<typeof createObserved>;

const createObserved = () => {
  const ids = new Set<string>();
  const without = (list: MessageList): MessageList => {
    const copy = forkList(list);
    copy.removeByIds([...ids]);
    return copy;
  };
  return {
    add: (id: string) => void ids.add(id),
    without,
    promptOf: async (list: MessageList | undefined, model: Model): Promise<RequestReply> =>
      list && ids.size > 0 ? { prompt: await toPrompt(without(list), model) } : undefined,
  };
};

/** Saves and observes the accepted content before a step. */
const observeStep = async (inner: Hooks, args: StepArgs, observed: Observed): Promise<void> => {
  const messageList = observed.without(args.messageList);
  if (args.stepNumber === 0) messageList.clear.input.db(); // no prompt with the caller's message was judged yet
  const before = messageList.get.all.db().map(({ id }) => id);
  let { messageId } = args;
  const rotateResponseMessageId = () => (messageId = args.rotateResponseMessageId?.());
  const step = { ...args, messageList, rotateResponseMessageId, abort: fail };
  await inner.processInputStep(step as never); // a rotation may be missing
  await inner.processOutputResult({ ...args, messageList } as never); // it reads only these fields
  const after = new Set(messageList.get.all.db().map(({ id }) => id));
  // The message that the next step continues is still sent.
  for (const id of before) if (!after.has(id) && id !== messageId) observed.add(id);
};

/** Reports the observer's `abort` as an error, because the content is already accepted. */
const fail = (reason?: string): never => {
  throw new Error(reason);
};
