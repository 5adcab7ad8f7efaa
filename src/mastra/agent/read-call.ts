import type { MessageListInput } from '@mastra/core/agent/message-list';
import { InterlockError } from '../../errors.js';
import type { CallOptions } from '../call-options.js';
import { isPlainObject } from '../plain-object.js';
import { heldBySupervisor } from '../tools/delegation.js';

/** A call of `generate` or `stream`: what is said, and how to answer it. */
export interface Call {
  readonly messages: MessageListInput;
  readonly options: CallOptions;
}

/**
 * Reads the arguments of a call: messages and options, or one object with options and the `prompt` among them, the form of the
 * AI SDK. Raises `agent/no-input` where nothing is said.
 */
export const readCall = (messages: unknown, given: unknown): Call => {
  const { prompt, options } = isPromptForm(messages) ? splitPrompt(messages, given) : { prompt: messages, options: given ?? {} };
  if (isEmpty(prompt)) throw new InterlockError('agent/no-input', { path: 'messages' });
  // What the messages are is Mastra's to read; the options are checked by name before anything reads them.
  return { messages: prompt as MessageListInput, options: withMemory(heldBySupervisor(options)) };
};

/** `threadId` and `resourceId` are what Mastra called `memory.thread` and `memory.resource` before 1.0. */
const withMemory = <T extends object>(options: T): T => {
  const { threadId, resourceId, ...rest } = options as CallOptions & { threadId?: string; resourceId?: string };
  if (threadId === undefined && resourceId === undefined) return options;
  return { ...rest, memory: { thread: threadId, resource: resourceId, ...rest.memory } } as unknown as T;
};

/** A message has a role, a prompt form has none. */
const isPromptForm = (value: unknown): value is Record<string, unknown> => isPlainObject(value) && !('role' in value);

const splitPrompt = ({ prompt, ...options }: Record<string, unknown>, given: unknown) => ({
  prompt,
  options: { ...options, ...(given as object | undefined) },
});

const isEmpty = (messages: unknown): boolean =>
  messages === undefined || messages === null || messages === '' || (Array.isArray(messages) && messages.length === 0);
