import type { Processor } from '@mastra/core/processors';
import { forkList } from '../messages/fork-list.js';
import type { Conversation } from './memory.js';

/** The id of the processor by which Mastra's memory observes a conversation. */
export const observational = 'observational-memory';

type Hooks = Required<Pick<Processor, 'processInputStep' | 'processOutputResult'>>;

/** Mastra's observational memory as a guarded run uses it. */
export interface ObservingAccepted {
  /** Loads the conversation and what was observed of it. Nothing is saved or observed meanwhile. */
  readonly recall: Processor;
  /** Saves an accepted answer. */
  readonly save: Processor;
  /** Observes the conversation with the accepted answer, in a copy. */
  readonly observe: Processor;
}

/**
 * Mastra's processor saves and observes an answer while it is generated. Here the answer is first accepted, then saved, then observed, so the
 * observer never reads words that a guard removed or rejected. A failed observation does not fail the run: the next turn repeats it.
 */
export const observeAccepted = (processor: Processor, conversation: Conversation): ObservingAccepted => {
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
          await inner.processInputStep({ ...args, ...called, messageList, stepNumber: 0, abort: fail } as never); // what it reads of a step
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

/** The run is accepted, so that its `abort` is not for the observer: an error says that it failed. */
const fail = (reason?: string): never => {
  throw new Error(reason);
};
