import type { MastraDBMessage, MessageList, MessageListInput } from '@mastra/core/agent/message-list';
import { isRecord } from '../../phase/plain-data.js';
import { emptyLike, insidesOf, isKnownInside } from './list-insides.js';
import { readPlain } from './plain-message.js';

/** What a caller says in one text, without anything else that would count. */
export interface PlainInput {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** Whether its content is the text itself, and not an array with it: lists take these for messages of different versions. */
  readonly isString: boolean;
}

const messageFields = new Set(['role', 'content']);
const partFields = new Set(['type', 'text']);

/** Reads a message that is one text and nothing else; nothing for any other. */
export const readPlainInput = (message: unknown): PlainInput | undefined => {
  if (typeof message === 'string') return plainOf('user', message, true);
  if (!isRecord(message) || !hasOnly(message, messageFields)) return undefined;
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant') return undefined;
  if (typeof content === 'string') return plainOf(role, content, true);
  const part: unknown = Array.isArray(content) && content.length === 1 ? content[0] : undefined;
  if (!isRecord(part) || !hasOnly(part, partFields) || part['type'] !== 'text') return undefined;
  return typeof part['text'] === 'string' ? plainOf(role, part['text'], false) : undefined;
};

const plainOf = (role: PlainInput['role'], text: string, isString: boolean): PlainInput | undefined =>
  text.trim() === '' ? undefined : { role, text, isString };

const hasOnly = (value: object, names: ReadonlySet<string>): boolean => {
  for (const name in value) if (!names.has(name)) return false;
  return true;
};

/** What a list itself does for each message that it adds. A later version of Mastra may do it by other names. */
interface ListWorks {
  newMessageId(): string;
  generateCreatedAt(source: 'input'): Date;
}

const worksOf = (list: MessageList): ListWorks | undefined => {
  const works = list as unknown as Partial<ListWorks>;
  const isKnown = typeof works.newMessageId === 'function' && typeof works.generateCreatedAt === 'function';
  return isKnown && isKnownInside(list) ? (works as ListWorks) : undefined;
};

/**
 * Has Mastra add an example of each kind of message that is one text, and makes others of the kind likewise: with an id and a time
 * that the list gives, and their own words. The function gives nothing where Mastra makes something else of the example.
 */
export const createByExample = (list: MessageList): ((input: PlainInput) => MastraDBMessage | undefined) => {
  const works = worksOf(list);
  if (!works) return () => undefined;
  const examples = new Map<string, MastraDBMessage | undefined>();
  return (input) => {
    const kind = `${input.role} ${String(input.isString)}`;
    if (!examples.has(kind)) examples.set(kind, exampleOf(list, input));
    const example = examples.get(kind);
    return example && like(example, input, works);
  };
};

const words = 'An example.';

const exampleOf = (list: MessageList, { role, isString }: PlainInput): MastraDBMessage | undefined => {
  const aside = emptyLike(list, insidesOf(list));
  insidesOf(aside).generateMessageId = undefined; // the agent's ids are for messages that are there
  const content = isString ? words : [{ type: 'text', text: words }];
  const [example, ...more] = aside.add([{ role, content }] as MessageListInput, 'input').get.all.db(); // of one of these forms
  const isPlain = example && more.length === 0 && example.content.parts.length === 1 && readPlain(example)?.text === words;
  return isPlain ? example : undefined;
};

/** In the order in which the list does it: an id, a time, and a stamp for the text. */
const like = (example: MastraDBMessage, { text }: PlainInput, works: ListWorks): MastraDBMessage => {
  const { content } = example;
  const id = works.newMessageId();
  const createdAt = works.generateCreatedAt('input');
  const [part] = content.parts as [{ type: 'text'; text: string; createdAt?: number }]; // it is one text, as was seen
  const stamp = part.createdAt === undefined ? {} : { createdAt: Date.now() };
  return {
    ...example,
    id,
    createdAt,
    content: { ...content, parts: [{ ...part, text, ...stamp }], ...(content.content !== undefined && { content: text }) },
  };
};
