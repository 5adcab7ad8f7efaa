import { MessageList, type Agent } from '@mastra/core/agent';
import type { MessageListInput } from '@mastra/core/agent/message-list';
import type { RequestContext } from '@mastra/core/request-context';
import { InterlockError } from '../../errors.js';
import { messageOf } from '../../loop/message-of.js';
import { acceptedMessages, type ChatMessage } from '../../ui/chat-messages.js';
import type { CallOptions } from '../call-options.js';
import type { Conversation } from '../memory/memory.js';
import { addMessages } from '../messages/add-messages.js';
import { addMissingParts } from '../messages/sync-text-content.js';

interface OpenListOptions {
  readonly agent: Agent;
  readonly options: CallOptions;
  readonly messages: MessageListInput;
  readonly requestContext: RequestContext;
  readonly conversation: Conversation | undefined;
  readonly createId: () => string;
}

/**
 * The list that a run starts with: instructions, context, the call's system message, and the caller's messages. Raises
 * `agent/invalid-messages` for values that are not Mastra's messages.
 */
export const openList = async (opening: OpenListOptions): Promise<MessageList> => {
  const { agent, options, messages, requestContext, conversation, createId } = opening;
  const list = new MessageList({
    threadId: conversation?.threadId,
    resourceId: conversation?.resourceId,
    generateMessageId: createId,
    filterIncompleteToolCalls: options.memory?.options?.filterIncompleteToolCalls,
  });
  const instructions = options.instructions || (await agent.getInstructions({ requestContext }));
  const { context, system } = options;
  reading('instructions', () => addSystem(list, instructions));
  if (context) reading('context', () => list.add(context, 'context'));
  reading('system', () => addSystem(list, system, 'user-provided'));
  reading('messages', () => {
    addMessages(list, Array.isArray(messages) ? (acceptedMessages(messages as ChatMessage[]) as typeof messages) : messages);
    addMissingParts(list.get.all.db());
  });
  return list;
};

/** Mastra's list rejects some invalid messages with its own errors, and crashes on others; all get one code. */
const reading = (path: string, read: () => void): void => {
  try {
    read();
  } catch (cause) {
    throw new InterlockError('agent/invalid-messages', { path, detail: messageOf(cause), cause });
  }
};

type SystemContent = Parameters<MessageList['addSystem']>[0];

/** Adds system messages: a text, a message, or an array of either. */
const addSystem = (list: MessageList, content: unknown, tag?: string): void => {
  if (!content) return;
  for (const message of Array.isArray(content) ? content : [content]) list.addSystem(message as SystemContent, tag); // as Mastra does
};
