import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { ProcessOutputStreamArgs } from '@mastra/core/processors';
import { leavesOf, type Leaf } from '../../src/guard/map-texts.js';
import { textsOf } from './message-text.js';

type MessageList = NonNullable<ProcessOutputStreamArgs['messageList']>;

/** The input of a run: system messages, user messages and tool results, without the model's text. */
const inputTexts = (list: MessageList | undefined): string[] => {
  if (!list) return [];
  const system = list.getAllSystemMessages().flatMap(({ content }) => leavesOf(content));
  return [...system, ...list.get.all.db().flatMap(inputLeaves)].filter((text) => typeof text === 'string');
};

const inputLeaves = (message: MastraDBMessage): Leaf[] => {
  if (message.role !== 'assistant') return textsOf(message);
  return (message.content.parts ?? []).flatMap((part) =>
    part.type === 'tool-invocation' && part.toolInvocation.state === 'result' ? leavesOf(part.toolInvocation.result) : [],
  );
};

/** Computes a value from the input of a run, and again after new input. */
export const perConversation = <T>(compute: (texts: readonly string[]) => T): ((list: MessageList | undefined) => T) => {
  const known = new WeakMap<object, { readonly size: string; readonly value: T }>();
  return (list) => {
    if (!list) return compute([]);
    const size = sizeOf(list);
    const before = known.get(list);
    if (before?.size === size) return before.value;
    const value = compute(inputTexts(list));
    known.set(list, { size, value });
    return value;
  };
};

const sizeOf = (list: MessageList): string => {
  const messages = list.get.all.db();
  return `${messages.length} ${messages.at(-1)?.content.parts?.length ?? 0}`;
};
