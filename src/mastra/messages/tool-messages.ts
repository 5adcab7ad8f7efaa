import type { MessageList } from '@mastra/core/agent/message-list';
import { stepFeedbackTag } from '../../loop/after-step.js';
import { createConversion } from './conversion.js';
import type { MessageCopies } from './message-copies.js';

/** What the application said about the last step: a sub-agent is to follow it, too. */
const stepFeedback = (list: MessageList): object[] =>
  list.getSystemMessages(stepFeedbackTag).map(({ content }) => ({ role: 'assistant', content }));

/** Gives tools a run's messages in the AI SDK's form: what the caller said; to tools that are agents, all of them. */
export const createToolMessages = (copies: MessageCopies): ((list: MessageList, forAgent: boolean) => Promise<unknown[]>) => {
  const wayOf = (name: 'all' | 'input') =>
    createConversion({ messagesOf: (list) => list.get[name].db(), convert: (list) => list.get[name].aiV5.model() }, copies);
  const [all, input] = [wayOf('all'), wayOf('input')];
  return async (list, forAgent) => (forAgent ? [...(await all(list)), ...stepFeedback(list)] : input(list));
};
