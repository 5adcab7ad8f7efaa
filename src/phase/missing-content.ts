import { isObject } from './plain-data.js';
import type { MastraDBMessage } from '@mastra/core/agent/message-list';

/** The path to a value without content, from the checked value: `[1].content.parts[0].text`. Undefined if nothing is missing. */
type Missing = string | undefined;

const at = (key: string, missing: Missing): Missing => (missing === undefined ? undefined : key + missing);

const text = (value: unknown): Missing => (typeof value === 'string' ? undefined : '');

const entries = (values: unknown, missingIn: (value: unknown) => Missing): Missing => {
  if (!Array.isArray(values)) return '';
  for (let index = 0; index < values.length; index += 1) {
    const missing = missingIn(values[index]);
    if (missing !== undefined) return `[${index}]${missing}`;
  }
  return undefined;
};

const roles: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool', 'signal']);

const missingInMessage = (message: unknown): Missing => {
  if (!isObject(message)) return '';
  const { role, content, parts } = message;
  if (!roles.has(role)) return '.role';
  if (parts !== undefined && parts !== null) return at('.parts', entries(parts, missingInPart));
  if (typeof content === 'string') return undefined;
  if (!isObject(content)) return '.content';
  if (Array.isArray(content)) return at('.content', entries(content, missingInPart));
  if (!('parts' in content) && typeof content.content === 'string') return undefined; // the form of old versions
  return at('.content.parts', entries(content.parts, missingInPart));
};

const missingInPart = (part: unknown): Missing => {
  if (typeof part === 'string') return undefined;
  if (!isObject(part) || typeof part.type !== 'string') return '';
  switch (part.type) {
    case 'text':
      return at('.text', text(part.text));
    case 'reasoning': // Mastra stores a text and details; a model's part has a text
      if (Array.isArray(part.details)) return at('.details', entries(part.details, missingInPart));
      return 'text' in part ? at('.text', text(part.text)) : at('.reasoning', text(part.reasoning));
    case 'tool-invocation':
      return isObject(part.toolInvocation) ? undefined : '.toolInvocation';
    default:
      return undefined;
  }
};

/** Finds missing content in messages of either form: Mastra's own, or a model's. */
export const missingInMessages = (messages: unknown, name: string): Missing => at(name, entries(messages, missingInMessage));

/** Removes entries without content from a list's own messages, so that a run can continue, or be stored, after the guard that failed. */
export const dropMissing = (messages: readonly MastraDBMessage[]): void => {
  for (const message of messages) {
    if (missingInMessage(message) === undefined) continue;
    const { content } = message as { content: Partial<MastraDBMessage['content']> | null | undefined }; // a hook may have removed it
    const { parts } = content ?? {};
    if (!content || !Array.isArray(parts)) message.content = { ...content, format: 2, parts: [] };
    else parts.splice(0, Infinity, ...parts.filter((part) => missingInPart(part) === undefined)); // other code holds the same array
  }
};

/** The required fields of chunks, by type. */
const chunkFields: Readonly<Record<string, readonly string[]>> = {
  'text-delta': ['text'],
  'reasoning-delta': ['text'],
  'tool-call': ['toolCallId', 'toolName'],
  'tool-call-delta': ['argsTextDelta'],
};

/** Finds missing content in a chunk of the stream. */
export const missingInChunk = (chunk: unknown, name: string): Missing => {
  if (!isObject(chunk) || typeof chunk.type !== 'string') return name;
  const fields = Object.hasOwn(chunkFields, chunk.type) ? chunkFields[chunk.type] : undefined;
  if (!fields) return undefined;
  const { payload } = chunk;
  if (!isObject(payload)) return `${name}.payload`;
  const field = fields.find((one) => typeof payload[one] !== 'string');
  return field && `${name}.payload.${field}`;
};
