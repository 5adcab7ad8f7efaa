import * as mastraAgent from '@mastra/core/agent'; // older versions lack some of its names; an error reports that
import type { MessageListInput } from '@mastra/core/agent/message-list';
import { MessageList, type Agent } from '@mastra/core/agent';
import type { RequestContext } from '@mastra/core/request-context';
import { InterlockError, messageOf } from '../../errors.js';
import type { CallOptions } from '../call-options.js';
import { fieldsIn, isRecord } from '../../phase/plain-data.js';
import { checkOptionsObject } from '../options/option-table.js';
import { withSupervisorHold } from '../tools/delegation.js';
import { acceptedMessages, type ChatMessage } from '../../ui/chat-messages.js';
import type { Owner } from '../memory/memory.js';
import { addMessages } from '../messages/add-messages.js';
import { addMissingParts } from '../messages/conversion.js';

/** The messages and options of a call of `generate` or `stream`. */
interface Call {
  readonly messages: MessageListInput;
  readonly options: CallOptions;
  /** True if signals of a thread are among the messages. */
  readonly isSignal: boolean;
}

/**
 * Reads the arguments of a call: messages and options, or one object with options and the `prompt` among them, the form of the AI
 * SDK. Raises `agent/no-input` without a message.
 */
export const readCall = (messages: unknown, callOptions: unknown): Call => {
  checkOptionsObject(callOptions ?? {}, 'options');
  const { prompt, options } = isPromptForm(messages)
    ? splitPrompt(messages, callOptions)
    : { prompt: messages, options: callOptions ?? {} };
  if (isEmpty(prompt)) throw new InterlockError('agent/no-input', { path: 'messages' });
  // Mastra parses the messages. The options are checked by name before first use.
  const isSignal = [prompt].flat().some(mastraAgent.isCreatedAgentSignal);
  const input = isSignal && Array.isArray(prompt) ? prompt.map(plainSignal) : plainSignal(prompt);
  const own = isSignal ? withoutAutoResume(options) : options;
  return { messages: input as MessageListInput, options: withMemory(withSupervisorHold(own)), isSignal };
};

/**
 * Removes `autoResumeSuspendedTools`, which channels without buttons set on each message: text that a model reads must not resume
 * a run that waits for a person.
 */
const withoutAutoResume = (options: CallOptions): CallOptions => {
  const { autoResumeSuspendedTools: _unserved, ...rest } = options as CallOptions & { autoResumeSuspendedTools?: boolean };
  return rest;
};

/** A signal in its stored form. The new date places it after the earlier messages of the thread. */
const plainSignal = (message: unknown): unknown =>
  mastraAgent.isCreatedAgentSignal(message) ? { ...message.toDBMessage(), createdAt: new Date() } : message;

/** Converts `threadId` and `resourceId`, the names of `memory.thread` and `memory.resource` before Mastra 1.0. */
const withMemory = <T extends object>(options: T): T => {
  const { threadId, resourceId, ...rest } = options as CallOptions & { threadId?: string; resourceId?: string };
  const [thread, resource] = [threadId ?? undefined, resourceId ?? undefined]; // null is absent, as in every option
  if (thread === undefined && resource === undefined) return rest as T;
  return { ...rest, memory: { thread, resource, ...rest.memory } } as unknown as T;
};

/** A prompt form has no role, unlike a message, and is no signal. */
const isPromptForm = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && !('role' in value) && !mastraAgent.isCreatedAgentSignal(value);

const splitPrompt = ({ prompt, ...options }: Record<string, unknown>, callOptions: unknown) => ({
  prompt,
  options: { ...options, ...fieldsIn(callOptions) },
});

const isEmpty = (messages: unknown): boolean => !messages || (Array.isArray(messages) && messages.length === 0);

interface OpenListOptions {
  readonly agent: Agent;
  readonly options: CallOptions;
  readonly messages: MessageListInput;
  readonly requestContext: RequestContext;
  readonly owner: Owner;
  readonly createId: () => string;
}

/**
 * The list that a run starts with: instructions, context, the call's system message, and the caller's messages. Raises
 * `agent/invalid-messages` for values that are not Mastra's messages.
 */
export const openList = async (opening: OpenListOptions): Promise<MessageList> => {
  const { agent, options, messages, requestContext, owner, createId } = opening;
  const list = new MessageList({
    ...owner,
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
