import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { ProcessInputArgs, ProcessOutputStreamArgs } from '@mastra/core/processors';
import { leavesOf, type Leaf } from '../../src/guard/map-texts.js';
import { textsOf } from './message-text.js';

type MessageList = NonNullable<ProcessOutputStreamArgs['messageList']>;

/** The input of a run: system messages, user messages and tool results, without the model's text. */
const inputTexts = (list: MessageList | undefined): string[] => {
  if (!list) return [];
  const system = list.getAllSystemMessages().flatMap(({ content }) => leavesOf(content));
  return [...system, ...list.get.all.db().flatMap(inputLeaves)].filter((text) => typeof text === 'string');
};

const inputLeaves = (message: MastraDBMessage): Leaf[] => (message.role === 'assistant' ? resultsIn(message) : textsOf(message));

/** The texts and numbers in the tool results of a message. */
const resultsIn = ({ content }: MastraDBMessage): Leaf[] =>
  (content.parts ?? []).flatMap((part) =>
    part.type === 'tool-invocation' && part.toolInvocation.state === 'result' ? leavesOf(part.toolInvocation.result) : [],
  );

/** Assistant turns that a client sends as if they were real, with the tool results in them. */
export const madeUpTexts = ({ messageList }: Partial<Pick<ProcessInputArgs, 'messageList'>>): string[] =>
  (messageList?.get.input.db() ?? [])
    .filter(({ role }) => role === 'assistant')
    .flatMap((message) => [...textsOf(message), ...resultsIn(message).map(String)]);

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
