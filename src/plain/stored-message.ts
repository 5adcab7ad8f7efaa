import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { describeValue } from '../phase/settle-messages.js';
import { isStored } from './stored-form.js';
import { toStored, type ModelMessage, type StoredPart } from './to-stored.js';

type Content = MastraDBMessage['content'];

/** A message in any form that a list accepts: the stored form, that of the AI SDK's functions, or with parts as clients show it. */
interface MessageInput extends Partial<Omit<MastraDBMessage, 'role' | 'content'>> {
  readonly role: MastraDBMessage['role'] | 'tool';
  readonly content?: Content | ModelMessage['content'];
  readonly parts?: readonly StoredPart[];
}

/** Converts a message to the stored form; an existing id and time are kept. Throws if it is no message. */
export const storedMessage = (value: unknown): MastraDBMessage => {
  const message = typeof value === 'string' ? { role: 'user', content: value } : value;
  if (!isMessageInput(message)) throw new TypeError(`${describeValue(value)} is no message.`);
  const { id = globalThis.crypto.randomUUID(), role, createdAt = new Date(), content } = message;
  if (isStored(message as MastraDBMessage) && message.createdAt) return message as MastraDBMessage; // isStored checked the form
  return {
    ...ids(message as Partial<MastraDBMessage>),
    id,
    role: role === 'tool' ? 'assistant' : role,
    createdAt,
    content: contentOf(message, content),
  };
};

const isMessageInput = (value: unknown): value is MessageInput => {
  if (typeof value !== 'object' || value === null) return false;
  const { role, content, parts } = value as { role?: unknown; content?: unknown; parts?: unknown };
  return typeof role === 'string' && (Array.isArray(parts) || isContent(content));
};

const isContent = (content: unknown): boolean =>
  typeof content === 'string' || Array.isArray(content) || Array.isArray((content as { parts?: unknown } | undefined)?.parts);

const contentOf = ({ role, parts }: MessageInput, content: MessageInput['content']): Content => {
  if (parts) return { format: 2, parts: [...parts] };
  if (typeof content === 'object' && 'parts' in content) return content;
  return { format: 2, parts: toStored([{ role, content: content ?? '' }]) };
};

const ids = ({ threadId, resourceId, type }: Partial<MastraDBMessage>): Partial<MastraDBMessage> => ({
  ...(threadId !== undefined && { threadId }),
  ...(resourceId !== undefined && { resourceId }),
  ...(type !== undefined && { type }),
});
