import type { MastraDBMessage, MessageList, MessageListInput } from '@mastra/core/agent/message-list';
import { isRecord } from '../../phase/plain-data.js';
import { insidesOf, isKnownInside, sourceNames } from './list-insides.js';

/**
 * Adds a caller's messages with the same result as the list's own `add`, but in linear time. `add` searches the whole list for
 * each message; except for the few messages that relate to earlier ones, it only needs the last message.
 */
export const addMessages = (list: MessageList, messages: MessageListInput): void => {
  if (!Array.isArray(messages) || messages.length < 2 || !isKnownInside(list)) return void list.add(messages, 'input');
  const aside = createAside(list);
  try {
    for (const message of messages) {
      if (concernsEarlier(message, aside)) aside.bringBack();
      list.add([message] as MessageListInput, 'input'); // a message of the caller
      if (aside.hasIdOfLast()) addAgain(list, aside);
      aside.putAside();
    }
  } finally {
    aside.bringBack();
  }
};

/** Adds the last message again, with the earlier message of the same id back in the list. */
const addAgain = (list: MessageList, aside: Aside): void => {
  const insides = insidesOf(list);
  const message = insides.messages.pop() as MastraDBMessage; // it exists: its id was compared
  for (const name of sourceNames) insides[name].delete(message);
  aside.bringBack();
  list.add([message], 'input');
};

/** Messages removed from a list for a while, so that it does not search them. */
interface Aside {
  /** The last message, which remains in the list. */
  readonly last: MastraDBMessage | undefined;
  has(id: string): boolean;
  /** True if a removed message has the id of the last one. */
  hasIdOfLast(): boolean;
  putAside(): void;
  bringBack(): void;
}

const createAside = (list: MessageList): Aside => {
  const insides = insidesOf(list);
  const ids = new Set<string>();
  let messages: MastraDBMessage[] = [];
  const bringBack = (): void => {
    insides.messages = [...messages, ...insides.messages];
    messages = [];
    ids.clear();
  };
  return {
    get last() {
      return insides.messages.at(-1);
    },
    has: (id) => ids.has(id) || insides.messages.at(-1)?.id === id,
    hasIdOfLast: () => ids.has(insides.messages.at(-1)?.id ?? ''),
    bringBack,
    putAside: () => {
      if (isBefore(insides.messages[0], messages.at(-1))) {
        bringBack();
        insides.messages.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime()); // as in the list
      }
      while (insides.messages.length > 1) {
        const message = insides.messages.shift() as MastraDBMessage; // there are at least two
        messages.push(message);
        ids.add(message.id);
      }
    },
  };
};

const isBefore = (a: MastraDBMessage | undefined, b: MastraDBMessage | undefined): boolean =>
  a !== undefined && b !== undefined && a.createdAt.getTime() < b.createdAt.getTime();

/**
 * True if the result for a message depends on more than the previous one: on a message with its id, or on the call of a tool
 * result.
 */
const concernsEarlier = (message: unknown, { last, has }: Aside): boolean => {
  if (typeof message === 'string') return false;
  if (!isRecord(message) || '__isCreatedSignal' in message || message['role'] === 'signal') return true;
  const { id, content } = message;
  if (typeof id === 'string' && has(id)) return true;
  return Array.isArray(content) && content.some((part) => isResult(part) && !isCalled(part.toolCallId, last));
};

const isResult = (part: unknown): part is { toolCallId: unknown } => isRecord(part) && part['type'] === 'tool-result';

const isCalled = (toolCallId: unknown, last: MastraDBMessage | undefined): boolean =>
  last?.content.parts.some((part) => part.type === 'tool-invocation' && part.toolInvocation.toolCallId === toolCallId) ?? false;
