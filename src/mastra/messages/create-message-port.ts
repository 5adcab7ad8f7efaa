import type * as agent from '@mastra/core/agent';
import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import type { MessagePort, MessageScope, MessageSource, SystemMessage } from '../../phase/host.js';
import { fieldsIn, copyPlain, copyShared, isSame } from '../../phase/plain-data.js';
import { interleaved, readToolResult, isStored, isSystem, systemText } from '../../plain/stored-message.js';
import { dataOf, emptyLike, fillList, forkList, isUnchanged, type ListState, type MessageCopies } from './list-insides.js';
import type { LoopMessages, ConversationSnapshot } from '../../loop/ports.js';
import type { ToolCall, ToolOutcome } from '../../loop/tool-call.js';

type StoredMessage = ListState['messages'][number];

/**
 * The messages as the list would store them: plain ones are parsed, new ones get its conversation's ids, duplicates are merged.
 */
const adopted = (list: MessageList, messages: readonly MastraDBMessage[], source: MessageSource): MastraDBMessage[] => {
  const known = new Set(list.get.all.db().map(({ id }) => id));
  let reader: MessageList | undefined;
  const adopt = (message: MastraDBMessage): MastraDBMessage => {
    if (isStored(message) && known.has(message.id)) return message;
    reader ??= emptyLike(list, list.serialize());
    const [made] = reader.add(message, source, { merge: false }).clear.all.db();
    return { ...(made ?? message), id: message.id ?? made?.id };
  };
  return [...new Map(messages.map(adopt).map((message) => [message.id, message])).values()];
};

interface Target {
  scope: MessageScope;
  source: MessageSource;
}

const write: MessagePort['write'] = (list, messages, target) => {
  const current = readMessages(list, target.scope);
  if (replaceEach(current, messages)) return; // the common case: nothing is added, removed or moved
  for (const message of messages.filter(isSystem)) list.addSystem(systemText(message));
  const others = messages.filter((message) => !isSystem(message));
  const wanted = adopted(list, others, target.source);
  if (!replaceEach(current, wanted)) fillList(list, rearranged(list, wanted, target));
};

/** Replaces messages one by one if the new ones have the same ids in the same order. Returns false otherwise. */
const replaceEach = (current: readonly MastraDBMessage[], wanted: readonly MastraDBMessage[]): boolean => {
  const isMatching = (message: MastraDBMessage, index: number) => message.id === current[index]?.id && isStored(message);
  if (wanted.length !== current.length || !wanted.every(isMatching)) return false;
  for (const [index, message] of current.entries()) replaceInPlace(message, wanted[index] ?? message);
  return true;
};

/** Replaces a message's fields in place, so that all references see the change and the message keeps its position. */
const replaceInPlace = (current: MastraDBMessage, wanted: MastraDBMessage): void => {
  const { id, createdAt } = current;
  if (current !== wanted) Object.assign(current, wanted, { id, createdAt });
};

/** The source sets in which a new message is recorded. */
const sourceFields = {
  input: ['newUserMessages', 'newUserMessagesPersisted'],
  response: ['newResponseMessages', 'newResponseMessagesPersisted'],
} as const satisfies Record<MessageSource, readonly (keyof ListState)[]>;

/** A list's state with the messages of a scope made equal to `wanted`. */
const rearranged = (list: MessageList, wanted: readonly MastraDBMessage[], { scope, source }: Target): ListState => {
  const state = list.serialize();
  const before = new Map(state.messages.map((message) => [message.id, message]));
  const inScope = new Set(readMessages(list, scope).map(({ id }) => id));
  const added = wanted.filter(({ id }) => !before.has(id)).map(({ id }) => id);
  for (const field of sourceFields[source]) state[field] = [...state[field], ...added];
  const whole = wanted.map((message) => ({ ...before.get(message.id), ...message }));
  const timed = withTimes(whole, before);
  return { ...state, messages: ascending(interleaved(state.messages, timed, inScope)) };
};

/**
 * Each message with its time as text. Existing messages keep their time. New ones keep theirs if it fits between their
 * neighbors, otherwise it is adjusted, because lists sort by time.
 */
const withTimes = (
  messages: readonly (MastraDBMessage | StoredMessage)[],
  before: ReadonlyMap<string, StoredMessage>,
): StoredMessage[] => {
  let next = Infinity;
  const limits = messages.toReversed().map(({ id }) => (next = timeOf(before.get(id)?.createdAt) ?? next));
  let last = -Infinity;
  return messages.map((message) => {
    const limit = limits.pop() ?? Infinity;
    last = before.has(message.id) ? limit : fitted(timeOf(message.createdAt) ?? Date.now(), { after: last, before: limit });
    return { ...message, createdAt: new Date(last).toISOString() };
  });
};

/** The nearest time to a given one between two others, or the earlier of the two if there is none between. */
const fitted = (value: number, { after, before }: { after: number; before: number }): number =>
  Math.max(after, Math.min(Math.max(value, after + 1), before - 1));

const timeOf = (value: Date | string | undefined): number | undefined => {
  const time = value === undefined ? NaN : new Date(value).getTime();
  return Number.isNaN(time) ? undefined : time;
};

/** Makes times ascending: otherwise the list would reorder messages at the next addition. They are all texts, or all dates. */
const ascending = (messages: readonly StoredMessage[]): StoredMessage[] => {
  let last = '';
  return messages.map((message) => {
    last = message.createdAt > last ? message.createdAt : last;
    return message.createdAt === last ? message : { ...message, createdAt: last };
  });
};

const readSystem = (list: MessageList): SystemMessage[] => [...list.getSystemMessages()];

const writeSystem = (list: MessageList, messages: readonly SystemMessage[]): void =>
  void list.replaceAllSystemMessages([...messages]);

const checkpoint: MessagePort['checkpoint'] = (list) => {
  const saved = copyPlain(dataOf(list));
  const known = [...list.get.all.db()];
  return () => {
    fillList(list, copyPlain(saved));
    for (const [index, message] of known.entries()) Object.assign(message, { content: saved.messages[index]?.content }); // Mastra holds them
  };
};

const restore: MessagePort['restore'] = (list, snapshot) => {
  const state = snapshot as ListState; // created by `snapshot`, possibly merged with other snapshots
  fillList(list, { ...state, messages: ascending(state.messages) });
};

const writeToolResult: MessagePort['writeToolResult'] = (list, { toolCallId, toolName, args }, result) =>
  void list.updateToolInvocation({
    type: 'tool-invocation',
    toolInvocation: { state: 'result', toolCallId, toolName, args, result },
  });

/** Mastra's MessageList behind the interface of the pure modules. The caller passes the class, because it has loaded it. */
export const createMessagePort = (parts: Pick<typeof agent, 'MessageList' | 'createSignal'>): MessagePort => ({
  is: (value): value is MessageList => value instanceof parts.MessageList,
  create: (messages, systemMessages, source) => {
    const list = new parts.MessageList();
    for (const message of messages)
      list.add(message, source === 'response' && message.role === 'assistant' ? 'response' : 'input', { merge: false });
    if (systemMessages.length > 0) writeSystem(list, systemMessages);
    return list;
  },
  read: readMessages,
  write,
  readSystem,
  writeSystem,
  fork: forkList,
  isUnchanged,
  checkpoint,
  snapshot: (list) => list.serialize(),
  restore,
  readToolResult: (list, toolCallId) => readToolResult(readMessages(list, 'all'), toolCallId),
  writeToolResult,
  addSignal: (list, signal, rotate) => {
    if (rotate && endMessage(list)) rotate();
    return list.addSignal(parts.createSignal(signal));
  },
});

/** The messages of a scope, in a new array. */
const readMessages: MessagePort['read'] = (list, scope) => {
  switch (scope) {
    case 'all':
      return [...list.get.all.db()];
    case 'input':
      return list.get.input.db();
    case 'response':
      return list.getPersisted.response.db(); // also those saved during the run
    default:
      return scope satisfies never;
  }
};

/** Ends the last message of the answer, if there is one: what follows stays separate when a list is loaded again. */
const endMessage = (list: MessageList): boolean => {
  const own = list.get.response.db().findLast(({ role }) => role === 'assistant');
  if (!own) return false;
  if (own === list.get.all.db().at(-1)) list.stepStart();
  return list.markResponseMessageBoundary(own.id);
};

type ToolPart = Parameters<MessageList['updateToolInvocation']>[0];

/** The loop's operations on Mastra's MessageList. Prompts and checkpoints are created per run. */
export const loopMessages: Omit<LoopMessages, 'toPrompt' | 'checkpoint' | 'restore'> = {
  haveIds: true,
  addResponse: (list, message) => {
    const last = list.get.all.db().at(-1);
    const own = list.get.response.db().find(({ id }) => id === message.id);
    if (!own) {
      endMessage(list);
      list.add(after(last, message), 'response', { merge: false });
      return recordModel(list, message);
    }
    if (own === last) list.stepStart();
    else own.content.parts.push({ type: 'step-start', createdAt: Date.now() }); // a hook has added a signal after it
    // Appended here, because Mastra's merge drops text and calls equal to those of an earlier step.
    for (const part of message.content.parts) {
      part.createdAt ??= Date.now(); // as the list does
      own.content.parts.push(part);
    }
    own.content.metadata = { ...own.content.metadata, ...message.content.metadata };
    recordModel(list, message);
  },
  setToolOutcome: (list, call, outcome) => void list.updateToolInvocation(toolPart(call, outcome)),
  addData: (list, parts) => {
    const lastParts = list.get.response.db().findLast(({ role }) => role === 'assistant')?.content.parts;
    // Equal ones are stored once, as in Mastra.
    for (const part of parts)
      if (!lastParts?.some((known) => known.type === part.type && isSame(fieldsIn(known)['data'], part.data)))
        lastParts?.push({ ...part, createdAt: Date.now() });
  },
  detached: (list) => forkList(list, (message) => copyShared(undefined, message)), // hooks do not get it
  writeTagged: (list, tag, messages) => {
    list.clearSystemMessages(tag);
    if (messages.length > 0) list.addSystem([...messages] as Parameters<MessageList['addSystem']>[0], tag);
  },
};

/** Gives an answer a later time than the previous message, because lists and databases sort by time. */
const after = (last: MastraDBMessage | undefined, message: MastraDBMessage): MastraDBMessage => {
  const earliest = last ? new Date(last.createdAt).getTime() + 1 : 0;
  return { ...message, createdAt: new Date(Math.max(message.createdAt.getTime(), earliest)) };
};

/** Records the model of a step that starts inside an answer, as Mastra's agent does. */
const recordModel = (list: MessageList, { content: { metadata } }: MastraDBMessage): void =>
  void list.enrichLastStepStart(`${String(metadata?.['provider'])}/${String(metadata?.['modelId'])}`);

const toolPart = ({ toolCallId, toolName, args }: ToolCall, outcome: ToolOutcome): ToolPart => {
  const call = { toolCallId, toolName, args };
  const { modelOutput } = fieldsIn(outcome);
  return {
    type: 'tool-invocation',
    toolInvocation: { ...call, ...endOf(toolCallId, outcome) },
    ...(modelOutput !== undefined && { providerMetadata: { mastra: { modelOutput } } }), // Mastra's field for it
  } as ToolPart;
};

const endOf = (id: string, outcome: ToolOutcome): object => {
  switch (outcome.kind) {
    case 'result':
      return { state: 'result', result: outcome.result, ...(outcome.isApproved && { approval: { id, approved: true } }) };
    case 'error':
      return { state: 'output-error', errorText: errorText(outcome.error) };
    case 'denied':
      return { state: 'output-denied', approval: { id, approved: false, reason: outcome.reason } };
    case 'client':
    case 'suspended':
      return { state: 'call' }; // no outcome yet
    default:
      return outcome satisfies never;
  }
};

const errorText = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim() || 'Tool execution failed';
};

/** Creates checkpoints of lists for one run. Unchanged messages share their copies. */
export const createCheckpoints = (copies: MessageCopies): Pick<LoopMessages, 'checkpoint' | 'restore'> => ({
  checkpoint: (list): ConversationSnapshot => {
    const { messages: _messages, ...fields } = dataOf(list);
    return { ...copyPlain(fields), messages: copies.of(list.get.all.db()) };
  },
  restore: ({ messages, ...rest }, like) => {
    const data = { ...(copyPlain(rest) as Omit<ListState, 'messages'>), messages: messages.map(copyPlain) }; // created by `checkpoint`
    const list = fillList(emptyLike(like, data), data);
    for (const [index, message] of list.get.all.db().entries()) copies.record(message, messages[index] ?? message);
    return list;
  },
});
