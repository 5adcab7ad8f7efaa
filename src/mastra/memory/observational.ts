import type { MessageList } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import { forkList } from '../messages/list-insides.js';
import { toPrompt } from '../model/prompts.js';
import { internal } from '../internal-processors.js';
import type { Conversation } from './memory.js';

/** The id of the processor with which Mastra's memory observes a conversation. */
export const observational = 'observational-memory';

type Hooks = Required<Pick<Processor, 'processInputStep' | 'processOutputResult'>>;
type StepArgs = Parameters<Hooks['processInputStep']>[0];

/** Mastra's observational memory, split for a guarded run. */
interface ObservingAccepted {
  /** Loads the conversation and its observations, without saving or observing. Shortens the prompt by the observed messages. */
  readonly recall: Processor;
  /** Saves and observes the accepted content before each step, after the guards of that step. */
  readonly observeStep: Processor;
  /** Saves an accepted answer. */
  readonly save: Processor;
  /** Observes a copy of the conversation with the accepted answer. */
  readonly observe: Processor;
}

/**
 * Mastra's processor saves and observes an answer while it is generated. Here the content is first accepted, then saved, then
 * observed, always in a copy of the conversation, so the observer never reads text that a guard removed or rejected: before a step
 * the accepted steps, at the end the answer. Guards see the whole conversation of the run; the model does not get the messages of
 * it that were observed, but the observations. A failed observation does not fail the run: the next one repeats it.
 *
 * @param keepsSteps false if a guard of the whole answer may still reject or edit its steps; then only the answer is observed
 */
export const observeAccepted = (processor: Processor, conversation: Conversation, keepsSteps: boolean): ObservingAccepted => {
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

/** The messages that were observed in a run. They stay in its conversation, for its guards and its result. */
interface Observed {
  readonly add: (id: string) => void;
  /** A copy of a conversation without them. */
  readonly without: (list: MessageList) => MessageList;
  /** The prompt without them. Undefined if there are none. */
  readonly promptOf: (list: MessageList | undefined, model: Model) => Promise<RequestReply>;
}

type RequestHook = NonNullable<Processor['processLLMRequest']>;
type RequestReply = Awaited<ReturnType<RequestHook>>;
type Model = Parameters<RequestHook>[0]['model'];

const createObserved = (): Observed => {
  const ids = new Set<string>();
  const without = (list: MessageList): MessageList => {
    const copy = forkList(list);
    copy.removeByIds([...ids]);
    return copy;
  };
  return {
    add: (id) => void ids.add(id),
    without,
    promptOf: async (list, model) => (list && ids.size > 0 ? { prompt: await toPrompt(without(list), model) } : undefined),
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
