import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import { copyPlain, isSame } from '../pipeline/plain-data.js';
import { emptyLike, type ListState } from './list-insides.js';
import { segmentsOf, type Segment } from './segments.js';

/** A message as models are sent it, of any version. */
interface Converted {
  role: string;
  content: string | object[];
}

/** One way of turning a list into what a model or a tool is given. */
export interface ConversionWay<Message extends Converted> {
  /** Which of a list's messages are converted. */
  messagesOf(list: MessageList): readonly MastraDBMessage[];
  /** Mastra's own conversion of those of a list; also of all messages of a list made for the purpose. */
  convert(list: MessageList, isWhole: boolean): Promise<Message[]> | Message[];
  /** Whether system messages stand before what is made of the messages. They are converted each time, with one segment at least. */
  readonly hasSystem: boolean;
}

/** Segments that were converted together. */
interface Block<Message> {
  readonly segments: readonly Segment[];
  readonly made: readonly Message[];
}

/**
 * Converts a list that grows, again and again: what has not changed since the last time, whoever might have changed it, is not
 * converted again. Only segments are kept whose conversion depends on nothing beside them; with any other message in the list
 * all of it is converted, by Mastra alone.
 */
export const createConversion = <Message extends Converted>(
  way: ConversionWay<Message>,
): ((list: MessageList) => Promise<Message[]>) => {
  let blocks: readonly Block<Message>[] = [];
  return async (list) => {
    const segments = segmentsOf(way.messagesOf(list));
    if (!segments) return way.convert(list, true);
    const kept = standing(blocks, segments, way.hasSystem);
    const fresh = segments.slice(kept.reduce((sum, block) => sum + block.segments.length, 0));
    const isWhole = kept.length === 0;
    const made = isWhole || fresh.length > 0 ? await way.convert(isWhole ? list : listOf(list, fresh), isWhole) : [];
    const start = systemCount(made);
    const own = made.slice(isWhole ? start : start + 1); // without the lead of a list made for the purpose
    blocks = own.length > 0 ? [...kept, { segments: fresh.map(copyPlain), made: own }] : kept; // what made nothing is tried again
    return [...made.slice(0, start), ...blocks.flatMap((block) => block.made.map(copied))];
  };
};

const systemCount = (made: readonly Converted[]): number => {
  const first = made.findIndex(({ role }) => role !== 'system');
  return first === -1 ? made.length : first;
};

/** The blocks that are as they were. */
const standing = <Message>(
  blocks: readonly Block<Message>[],
  segments: readonly Segment[],
  leavesOne: boolean,
): readonly Block<Message>[] => {
  let at = 0;
  const changed = blocks.findIndex((block) => {
    const start = at;
    at += block.segments.length;
    const isThere = at <= segments.length - (leavesOne ? 1 : 0);
    return !isThere || !block.segments.every((one, index) => isSame(one, segments[start + index]));
  });
  return changed === -1 ? blocks : blocks.slice(0, changed);
};

/** Some providers want a user's message first, so that Mastra puts one before an answer that begins a list; here one leads always. */
const lead: Segment = { role: 'user', content: undefined, parts: [{ type: 'text', text: '.' }] };

/** A list of these segments alone, under the system messages of another. */
const listOf = (list: MessageList, segments: readonly Segment[]): MessageList => {
  const made = emptyLike(list, { memoryInfo: null });
  const messages = [lead, ...segments].map(({ role, content, parts }, index) => ({
    id: String(index),
    role,
    createdAt: anyTime,
    content: { format: 2 as const, parts: [...parts], ...(content !== undefined && { content }) },
  }));
  const systemMessages = list.getAllSystemMessages() as ListState['systemMessages']; // typed wider than they are
  return made.deserialize({ ...made.serialize(), messages, systemMessages });
};

/** Models are not told when a message was written. */
const anyTime = new Date(0).toISOString();

/** What is handed out may be changed by whoever gets it: middleware marks messages and parts in place. */
const copied = <Message extends Converted>(message: Message): Message => ({
  ...message,
  content: typeof message.content === 'string' ? message.content : message.content.map((part) => ({ ...part })),
});
