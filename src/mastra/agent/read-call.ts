import * as mastraAgent from '@mastra/core/agent'; // older versions lack some of its names; an error reports that
import type { MessageListInput } from '@mastra/core/agent/message-list';
import { InterlockError } from '../../errors.js';
import type { CallOptions } from '../call-options.js';
import { isRecord } from '../../phase/plain-data.js';
import { withSupervisorHold } from '../tools/delegation.js';

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
  if (threadId === undefined && resourceId === undefined) return options;
  return { ...rest, memory: { thread: threadId, resource: resourceId, ...rest.memory } } as unknown as T;
};

/** A prompt form has no role, unlike a message, and is no signal. */
const isPromptForm = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && !('role' in value) && !mastraAgent.isCreatedAgentSignal(value);

const splitPrompt = ({ prompt, ...options }: Record<string, unknown>, callOptions: unknown) => ({
  prompt,
  options: { ...options, ...(callOptions as object | undefined) },
});

const isEmpty = (messages: unknown): boolean =>
  messages === undefined || messages === null || messages === '' || (Array.isArray(messages) && messages.length === 0);
