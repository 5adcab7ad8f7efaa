import type { MessageList } from '@mastra/core/agent/message-list';
import { createConversion } from './conversion.js';

type ModelMessage = ReturnType<MessageList['get']['all']['aiV5']['model']>[number];

/** Messages in the AI SDK's form, as tools expect them: what the caller said; for tools that are agents, all of them. */
export const createToolMessages = (): ((list: MessageList, forAgent: boolean) => Promise<unknown[]>) => {
  const said = createConversion<ModelMessage>({
    messagesOf: (list) => list.get.input.db(),
    convert: (list, isWhole) => (isWhole ? list.get.input : list.get.all).aiV5.model(),
    hasSystem: false,
  });
  const all = createConversion<ModelMessage>({
    messagesOf: (list) => list.get.all.db(),
    convert: (list) => list.get.all.aiV5.model(),
    hasSystem: false,
  });
  return (list, forAgent) => (forAgent ? all : said)(list);
};
