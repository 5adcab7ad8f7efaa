import { isCreatedAgentSignal } from '@mastra/core/agent';
import type { MessageListInput } from '@mastra/core/agent/message-list';
import { InterlockError } from '../../errors.js';
import type { CallOptions } from '../call-options.js';
import { isPlainObject } from '../plain-object.js';
import { heldBySupervisor } from '../tools/delegation.js';

/** A call of `generate` or `stream`: what is said, and how to answer it. */
export interface Call {
  readonly messages: MessageListInput;
  readonly options: CallOptions;
  /** Whether signals of a thread are among the messages. */
  readonly isSignal: boolean;
}

/**
 * Reads the arguments of a call: messages and options, or one object with options and the `prompt` among them, the form of the
 * AI SDK. Raises `agent/no-input` where nothing is said.
 */
export const readCall = (messages: unknown, given: unknown): Call => {
  const { prompt, options } = isPromptForm(messages) ? splitPrompt(messages, given) : { prompt: messages, options: given ?? {} };
  if (isEmpty(prompt)) throw new InterlockError('agent/no-input', { path: 'messages' });
  // What the messages are is Mastra's to read; the options are checked by name before anything reads them.
  const isSignal = [prompt].flat().some(isCreatedAgentSignal);
  const said = isSignal && Array.isArray(prompt) ? prompt.map(plainSignal) : plainSignal(prompt);
  return { messages: said as MessageListInput, options: withMemory(heldBySupervisor(options)), isSignal };
};

/** A signal as the message that it is kept as; it comes after what the thread held when the run began. */
const plainSignal = (message: unknown): unknown =>
  isCreatedAgentSignal(message) ? { ...message.toDBMessage(), createdAt: new Date() } : message;

/** `threadId` and `resourceId` are what Mastra called `memory.thread` and `memory.resource` before 1.0. */
const withMemory = <T extends object>(options: T): T => {
  const { threadId, resourceId, ...rest } = options as CallOptions & { threadId?: string; resourceId?: string };
  if (threadId === undefined && resourceId === undefined) return options;
  return { ...rest, memory: { thread: threadId, resource: resourceId, ...rest.memory } } as unknown as T;
};

/** A message has a role, a signal says that it is one, a prompt form does neither. */
const isPromptForm = (value: unknown): value is Record<string, unknown> =>
  isPlainObject(value) && !('role' in value) && !isCreatedAgentSignal(value);

const splitPrompt = ({ prompt, ...options }: Record<string, unknown>, given: unknown) => ({
  prompt,
  options: { ...options, ...(given as object | undefined) },
});

const isEmpty = (messages: unknown): boolean =>
  messages === undefined || messages === null || messages === '' || (Array.isArray(messages) && messages.length === 0);
