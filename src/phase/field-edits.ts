import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { isSame } from './plain-data.js';

type Part = MastraDBMessage['content']['parts'][number];
type TextPart = Extract<Part, { type: 'text' }>;

const isText = (part: Part): part is TextPart => part.type === 'text';

/**
 * The one text of a message that its field `content.content` repeats; undefined if the field differs, as it does after an edit of the
 * parts.
 */
const repeatedText = ({ content }: MastraDBMessage): TextPart | undefined => {
  const [text, ...others] = content.parts.filter(isText);
  return text && others.length === 0 && text.text === content.content ? text : undefined;
};

/** The same message; if a hook wrote a text into the field alone, a copy with that text in its part. */
const followed = (message: MastraDBMessage, before: MastraDBMessage | undefined): MastraDBMessage => {
  if (!before || message === before) return message;
  const { content: written, parts } = message.content ?? {};
  if (typeof written !== 'string' || written === before.content.content || !isSame(parts, before.content.parts)) return message;
  const text = repeatedText(before);
  if (!text) return message;
  const own = parts.map((part) => (isText(part) ? { ...part, text: written } : part));
  return { ...message, content: { ...message.content, parts: own } };
};

/**
 * The messages that a hook returned, with edits of `content.content` applied to the parts: Mastra's guide edits input that way, and the
 * model gets the parts. The field counts if it repeated the message's one text before the hook; after an edit of the parts it is out of
 * date.
 */
export const withFieldEdits = (returned: readonly MastraDBMessage[], before: readonly MastraDBMessage[]): MastraDBMessage[] => {
  const known = new Map(before.map((message) => [message.id, message]));
  return returned.map((message) => (message ? followed(message, known.get(message.id)) : message));
};
