import { exampleOf } from './example-of.js';
import { isRecord, type JsonSchema, type Payload } from './json-schema.js';

/** A message as role and text. */
export interface MessageRow {
  readonly role: string;
  readonly text: string;
}

/**
 * Reads a message as one row, if its content is one text without other data that a row would hide: a string, one text part, or
 * an object with such parts. Undefined otherwise.
 */
export const readRow = (message: unknown): MessageRow | undefined => {
  if (!isRecord(message) || typeof message['role'] !== 'string') return undefined;
  const text = textOf(message['content']);
  return text === undefined ? undefined : { role: message['role'], text };
};

/** The message with another row; all its other data is kept. */
export const writeRow = (message: Payload, { role, text }: MessageRow): Payload => {
  const { content } = message;
  // Plain text is for system messages; in the provider's format all others have a list of parts.
  const isPlain = typeof content === 'string' && role === 'system';
  return { ...message, role, content: isPlain ? text : withText(content, text) };
};

/** A message with a row's content, made from the schema of its list's items; `number` makes its id. */
export const newRow = (items: JsonSchema, row: MessageRow, { number, now }: { number: number; now: string }): Payload => {
  const made = exampleOf(items, now);
  const message = isRecord(made) ? made : {};
  const id = 'id' in message ? { id: `message-${number}` } : {};
  return writeRow({ ...message, ...id }, row);
};

const textOf = (content: unknown): string | undefined => {
  if (typeof content === 'string') return content;
  if (isRecord(content)) return textOf(content['parts']);
  if (!Array.isArray(content) || content.length > 1) return undefined;
  const [part] = content as unknown[];
  if (part === undefined) return '';
  return isTextPart(part) ? part.text : undefined;
};

interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

const isTextPart = (part: unknown): part is TextPart =>
  isRecord(part) && part['type'] === 'text' && typeof part['text'] === 'string';

const withText = (content: unknown, text: string): unknown => {
  if (isRecord(content)) return { ...content, parts: withText(content['parts'], text), ...repeated(content, text) };
  const [part] = Array.isArray(content) ? (content as unknown[]) : [];
  return [{ ...(isTextPart(part) ? part : { type: 'text' }), text }];
};

/** A copy of the text for older readers, if the message has one. */
const repeated = ({ content }: Payload, text: string): Payload => (typeof content === 'string' ? { content: text } : {});
