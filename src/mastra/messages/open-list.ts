import type { Agent } from '@mastra/core/agent';
import { MessageList, type MessageListInput } from '@mastra/core/agent/message-list';
import type { RequestContext } from '@mastra/core/request-context';
import type { CallOptions } from '../agent/call-options.js';
import type { Conversation } from '../memory/memory.js';
import { addMessages } from './add-messages.js';
import { fillParts } from './mirrored-words.js';

interface Opening {
  readonly agent: Agent;
  readonly options: CallOptions;
  readonly messages: MessageListInput;
  readonly requestContext: RequestContext;
  readonly conversation: Conversation | undefined;
  readonly createId: () => string;
}

/** The list that a run starts with: instructions, context, the call's system message, and what the caller said. */
export const openList = async (opening: Opening): Promise<MessageList> => {
  const { agent, options, messages, requestContext, conversation, createId } = opening;
  const list = new MessageList({
    threadId: conversation?.threadId,
    resourceId: conversation?.resourceId,
    generateMessageId: createId,
    filterIncompleteToolCalls: options.memory?.options?.filterIncompleteToolCalls,
  });
  addSystem(list, options.instructions || (await agent.getInstructions({ requestContext })));
  if (options.context) list.add(options.context, 'context');
  addSystem(list, options.system, 'user-provided');
  addMessages(list, messages);
  fillParts(list.get.all.db());
  return list;
};

type SystemContent = Parameters<MessageList['addSystem']>[0];

/** System messages come as a text, a message, or an array of either. */
const addSystem = (list: MessageList, content: unknown, tag?: string): void => {
  if (!content) return;
  for (const message of Array.isArray(content) ? content : [content]) list.addSystem(message as SystemContent, tag); // as Mastra does
};
