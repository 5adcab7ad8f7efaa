import * as mastraAgent from '@mastra/core/agent';
import { MessageList, type Agent } from '@mastra/core/agent';
import type { MessageListInput, MastraDBMessage } from '@mastra/core/agent/message-list';
import * as mastraContext from '@mastra/core/request-context';
import type { RequestContext, VersionOverrides, VersionSelector } from '@mastra/core/request-context';
import { InterlockError, messageOf } from '../../errors.js';
import type { CallOptions } from '../call-options.js';
import { missingInMessages } from '../../phase/missing-content.js';
import { fieldsIn, isRecord, withinDepth } from '../../phase/plain-data.js';
import { checkOptionsObject } from '../options/option-table.js';
import { withSupervisorHold } from '../tools/delegation.js';
import { acceptedMessages, type ChatMessage } from '../../ui/chat-messages.js';
import type { LoopTarget } from '../tools/tools.js';
import { addMissingParts } from '../messages/conversion.js';
import { insidesOf, isKnownInside, sourceNames } from '../messages/list-insides.js';

// older versions lack some of its names; an error reports that

/**
 * Reads the arguments of a call: messages and options, or one object with options and the `prompt` among them, the form of the AI
 * SDK. Raises `agent/no-input` without a message.
 */
export const readCall = (messages: unknown, callOptions: unknown) => {
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
  const { autoResumeSuspendedTools: _unserved, ...rest }: CallOptions & { autoResumeSuspendedTools?: boolean } = options;
  return rest;
};

/** A signal in its stored form. The new date places it after the earlier messages of the thread. */
const plainSignal = (message: unknown): unknown =>
  mastraAgent.isCreatedAgentSignal(message) ? { ...message.toDBMessage(), createdAt: new Date() } : message;

/** Converts `threadId` and `resourceId`, the names of `memory.thread` and `memory.resource` before Mastra 1.0. */
const withMemory = (options: CallOptions): CallOptions => {
  const { threadId, resourceId, ...rest }: CallOptions & { threadId?: string; resourceId?: string } = options;
  const [thread, resource] = [threadId ?? undefined, resourceId ?? undefined]; // null is absent, as in every option
  if (thread === undefined && resource === undefined) return rest;
  return { ...rest, memory: { thread, resource, ...rest.memory } };
};

/** A prompt form has no role, unlike a message, and is no signal. */
const isPromptForm = (value: unknown): value is Record<string, unknown> =>
  isRecord(value) && !('role' in value) && !mastraAgent.isCreatedAgentSignal(value);

const splitPrompt = ({ prompt, ...options }: Record<string, unknown>, callOptions: unknown) => ({
  prompt,
  options: { ...options, ...fieldsIn(callOptions) },
});

const isEmpty = (messages: unknown): boolean => !messages || (Array.isArray(messages) && messages.length === 0);

interface OpenListOptions extends Pick<LoopTarget, 'agent' | 'options' | 'requestContext' | 'owner' | 'isGuarded'> {
  readonly messages: MessageListInput;
  readonly createId: () => string;
}

/**
 * The list that a run starts with: instructions, context, the call's system message, and the caller's messages. Raises
 * `agent/invalid-messages` for values that are not Mastra's messages, and for messages that no guard can read.
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
    const all = list.get.all.db();
    addMissingParts(all);
    const missing = opening.isGuarded && missingInMessages(withinDepth(all), 'messages'); // its failure would look like the guard's
    if (missing) throw new TypeError(`${missing} is missing or invalid.`);
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

/**
 * Adds a caller's messages with the same result as the list's own `add`, but in linear time. `add` searches the whole list for
 * each message; except for the few messages that relate to earlier ones, it only needs the last message.
 */
export const addMessages = (list: MessageList, messages: MessageListInput): void => {
  if (!Array.isArray(messages) || messages.length < 2 || !isKnownInside(list)) return void list.add(messages, 'input');
  const insides = insidesOf(list);
  const aside = new Map<string, MastraDBMessage>(); // by id
  const asideCalls = new Set<unknown>(); // the ids of calls in them
  const bringBack = (): void => {
    insides.messages = [...aside.values(), ...insides.messages].toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime()); // as the list
    aside.clear();
    asideCalls.clear();
  };
  const putAside = (message: MastraDBMessage): void => {
    aside.set(message.id, message);
    for (const id of callsIn(message)) asideCalls.add(id);
  };
  /** Adds the last message again, among all: its generated id is not unique. */
  const addAgain = (last: MastraDBMessage): void => {
    insides.messages.pop();
    for (const name of sourceNames) insides[name].delete(last);
    bringBack();
    list.add([last], 'input');
  };
  try {
    for (const message of messages) {
      if (isRelated(message, { aside, asideCalls, last: insides.messages.at(-1) })) bringBack();
      list.add([message] as MessageListInput, 'input'); // a message of the caller
      const last = insides.messages.at(-1);
      if (last && aside.has(last.id)) addAgain(last);
      insides.messages.splice(0, insides.messages.length - 1).forEach(putAside);
    }
  } finally {
    bringBack();
  }
};

interface Earlier {
  readonly aside: ReadonlyMap<string, unknown>;
  readonly asideCalls: ReadonlySet<unknown>;
  readonly last: MastraDBMessage | undefined;
}

/** True if the result for a message depends on more than the last one: on a message with its id, or on the call that it refers to. */
const isRelated = (message: unknown, { aside, asideCalls, last }: Earlier): boolean => {
  if (typeof message === 'string') return false;
  if (!isRecord(message) || '__isCreatedSignal' in message || message['role'] === 'signal') return true;
  const { id, content } = message;
  if (typeof id === 'string' && (id === last?.id || aside.has(id))) return true;
  const calls = last ? callsIn(last) : [];
  const isAnswer = (part: unknown) => isRecord(part) && /^tool-(result|approval-response)$/.test(String(part['type']));
  const isOfLast = (callId: unknown) => calls.includes(callId) && !asideCalls.has(callId); // providers may use an id again
  return Array.isArray(content) && content.some((part) => isAnswer(part) && !isOfLast(part.toolCallId));
};

const callsIn = ({ content: { parts } }: MastraDBMessage): unknown[] =>
  parts.flatMap((part) => ('toolInvocation' in part ? [part.toolInvocation.toolCallId] : []));

const storedVersions = new WeakSet<object>();

/** Marks a copy of an agent with a stored version's instructions and tools, so that no other version replaces it. */
export const markStoredVersion = (copy: object): void => void storedVersions.add(copy);

/**
 * The agent that answers a call. If a stored version is selected, it is a copy with that version's instructions and tools, and
 * the same guards. The call's selection replaces the request context's, which replaces that of the Mastra instance. The result is
 * written to the request context, for sub-agents and for an engine that continues the run. As in Mastra's agent, a selection that
 * cannot be resolved is logged, and the agent from code answers.
 */
export const versionFor = async (
  agent: Agent,
  selected: VersionOverrides | undefined,
  requestContext: RequestContext,
): Promise<Agent> => {
  const mastra = agent.getMastraInstance();
  const inContext = mastraContext.mergeVersionOverrides(mastra?.getVersionOverrides(), selectionIn(requestContext));
  const versions = mastraContext.mergeVersionOverrides(inContext, selected);
  const version = storedVersions.has(agent) ? agent : await resolved(agent, selectorOf(agent, versions));
  const versionId = version.toRawConfig()?.resolvedVersionId;
  const ownVersion = typeof versionId === 'string' ? { agents: { [agent.id]: { versionId } } } : undefined;
  const versionOverrides = mastraContext.mergeVersionOverrides(versions, ownVersion);
  if (versionOverrides) requestContext.set(mastraContext.MASTRA_VERSIONS_KEY, versionOverrides);
  return version;
};

/** The agent of a continued durable run: the version at the run's start. Rejects if it cannot be resolved. */
export const pinnedVersionFor = async (agent: Agent, requestContext: RequestContext): Promise<Agent> => {
  const selector = selectionIn(requestContext)?.agents?.[agent.id];
  const mastra = agent.getMastraInstance();
  if (!mastra || !selector || !('versionId' in selector) || storedVersions.has(agent)) return agent;
  return mastra.resolveVersionedAgent(agent, selector);
};

const selectionIn = (requestContext: RequestContext): VersionOverrides | undefined =>
  requestContext.get<string, VersionOverrides | undefined>(mastraContext.MASTRA_VERSIONS_KEY); // Mastra's own key

const selectorOf = ({ id }: Agent, { agents, defaultStatus }: VersionOverrides = {}): VersionSelector | undefined =>
  agents?.[id] ?? (defaultStatus && { status: defaultStatus });

const resolved = async (agent: Agent, selector: VersionSelector | undefined): Promise<Agent> => {
  const mastra = agent.getMastraInstance();
  if (!mastra || !selector) return agent;
  try {
    return await mastra.resolveVersionedAgent(agent, selector);
  } catch (error) {
    mastra.getLogger().warn('A stored version could not be resolved; the agent of the code answers', {
      agentId: agent.id,
      selector,
      error,
    });
    return agent;
  }
};
