import type { MastraDBMessage, MessageList, MessageListInput } from '@mastra/core/agent/message-list';
import { isRecord } from '../../phase/plain-data.js';
import { insidesOf, isKnownInside, sourceNames } from './list-insides.js';

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
