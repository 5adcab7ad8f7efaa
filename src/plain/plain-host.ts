import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import type { Host, TripSignal, MessagePort } from '../phase/host.js';
import { copyPlain, isSame } from '../phase/plain-data.js';
import { interleaved, readToolResult, isStored, isSystem, systemText, storedMessage } from './stored-message.js';
import { needsMastra, messagesIn, sourceFields, openPlainList, stateIn, stateOf, type PlainState } from './plain-list.js';

/** The error that `abort()` throws; its shape is that of Mastra's. */
class PlainTripWire extends Error {
  override readonly name = 'TripWire';
  readonly options: Pick<TripSignal, 'retry' | 'metadata'>;
  readonly processorId: string | undefined;

  constructor({ reason, retry, metadata, processorId }: TripSignal) {
    super(reason);
    this.options = { retry, metadata };
    this.processorId = processorId;
  }
}

/**
 * A host without a framework: messages are plain data, and nothing is loaded. It serves guards with the trait `portable`, and all guards
 * if Mastra is not installed.
 */
export const plainHost = (resolveModel: Host['resolveModel']): Host => ({
  messages: plainPort,
  createTripWire: (signal) => new PlainTripWire(signal),
  readTripWire,
  resolveModel,
});

/** The original list of each fork. */
const origins = new WeakMap<MessageList, MessageList>();

const create: MessagePort['create'] = (messages, systemMessages, source) => {
  const list = openPlainList(emptyState());
  for (const message of messages) list.add(message, source === 'response' && message.role === 'assistant' ? 'response' : 'input');
  list.replaceAllSystemMessages([...systemMessages]);
  return list;
};

const write: MessagePort['write'] = (list, messages, { scope, source }) => {
  const state = stateOf(list);
  const others = messages.filter((message) => !isSystem(message));
  const made = new Map(
    others.map((message) => (isStored(message) ? message : storedMessage(message))).map((one) => [one.id, one]),
  );
  const known = new Map(state.messages.map((message) => [message.id, message]));
  const inScope = new Set(messagesIn(state, scope).map(({ id }) => id));
  for (const message of messages.filter(isSystem)) list.addSystem(systemText(message));
  const wanted = [...made.values()].map((message) => replaced(known.get(message.id), message));
  state.messages = interleaved(state.messages, wanted, inScope);
  const remaining = new Set(state.messages.map(({ id }) => id));
  const added = wanted.filter(({ id }) => !known.has(id)).map(({ id }) => id);
  for (const note of Object.values(sourceFields)) state[note] = state[note].filter((id) => remaining.has(id));
  state[sourceFields[source]].push(...added);
};

/** Replaces the message with the same id in place, so that each holder sees the change; keeps its time. */
const replaced = (own: MastraDBMessage | undefined, message: MastraDBMessage): MastraDBMessage =>
  own && own !== message ? Object.assign(own, message, { createdAt: own.createdAt }) : (own ?? storedMessage(message));

const fork: MessagePort['fork'] = (list) => {
  const copy = openPlainList(copyPlain(stateOf(list)));
  origins.set(copy, list);
  return copy;
};

const fill = (list: MessageList, state: PlainState): void => void Object.assign(stateOf(list), state);

/** In the format of Mastra's lists, with times as text, because a merge treats them as text. */
const snapshot: MessagePort['snapshot'] = (list) => {
  const state = stateOf(list);
  return { ...state, messages: state.messages.map((message) => ({ ...message, createdAt: timeOf(message) })) };
};

/** A time may have any type: guards may write anything to messages. */
const timeOf = ({ createdAt }: MastraDBMessage): string => {
  const time = new Date(createdAt);
  return Number.isNaN(time.getTime()) ? String(createdAt) : time.toJSON();
};

const restore: MessagePort['restore'] = (list, snapshotted) => {
  const state = snapshotted as PlainState; // from `snapshot`, merged with others of its kind
  fill(list, { ...state, messages: state.messages.map((message) => ({ ...message, createdAt: new Date(message.createdAt) })) });
};

/** The pure modules' message port over plain data, without any host. */
export const plainPort: MessagePort = {
  is: (value): value is MessageList => typeof value === 'object' && value !== null && stateIn(value) !== undefined,
  create,
  read: (list, scope) => messagesIn(stateOf(list), scope),
  write,
  readSystem: (list) => [...stateOf(list).systemMessages],
  writeSystem: (list, messages) => void list.replaceAllSystemMessages([...messages]),
  fork,
  isUnchanged: (copy, list) => origins.get(copy) === list && isSame(stateOf(copy), stateOf(list)),
  snapshot,
  checkpoint: (list) => {
    const saved = copyPlain(stateOf(list));
    return () => fill(list, copyPlain(saved));
  },
  restore,
  readToolResult: (list, toolCallId) => readToolResult(messagesIn(stateOf(list), 'all'), toolCallId),
  writeToolResult: (list, { toolCallId, toolName, args }, result) =>
    void list.updateToolInvocation({
      type: 'tool-invocation',
      toolInvocation: { state: 'result', toolCallId, toolName, args, result },
    }),
  addSignal: () => {
    throw needsMastra('sendSignal');
  },
};

/** Fields of a tripwire besides its reason. */
const optionNames: ReadonlySet<string> = new Set(['retry', 'metadata'] satisfies (keyof TripSignal)[]);

/**
 * Reads a thrown value as a tripwire by its shape: an error with `options`, of which there are two, and a `processorId`. This also
 * recognizes tripwires of another copy of Mastra, or of none.
 */
export const readTripWire: Host['readTripWire'] = (error) => {
  if (!(error instanceof Error) || !Object.hasOwn(error, 'processorId')) return undefined;
  const { message, options, processorId } = error as Error & { options?: unknown; processorId?: string };
  if (typeof options !== 'object' || options === null || !Object.keys(options).every((name) => optionNames.has(name)))
    return undefined;
  return { reason: message, ...options, processorId };
};

const emptyState = (): PlainState => ({
  messages: [],
  newUserMessages: [],
  newResponseMessages: [],
  systemMessages: [],
  taggedSystemMessages: {},
});
