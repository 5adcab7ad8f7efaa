import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { z } from 'zod';
import { byReference, openObject } from './open-object.js';
import { messagePartSchema } from './message-part.js';

/** A message as every phase carries it. */
export type Message = MastraDBMessage;

/** The parts of a message and what belongs to them. */
export type MessageContent = MastraDBMessage['content'];

/** A message as it may come in: its time may be text, as in JSON. */
export type MessageInput = Omit<MastraDBMessage, 'createdAt'> & { createdAt: Date | string | number };

const anyRecord = z.record(z.string(), z.unknown());

/** The content of a message; unknown fields are kept. */
export const messageContentSchema = byReference<MessageContent>(
  openObject({
    format: z.literal(2).describe('The version of this format.'),
    parts: z.array(messagePartSchema).describe('The content in order: text, files, tool calls and so on.'),
    content: z.string().optional().describe('The text as one string, for the older format.'),
    metadata: anyRecord.optional().describe('Metadata of the application.'),
    providerMetadata: anyRecord.optional().describe('Metadata of providers, by provider.'),
  }),
);

// The host's own check lets the role "tool" through, which its type does not know; we accept what it accepts.
const roles = ['user', 'assistant', 'system', 'tool', 'signal'] as const;

const messageStructure = openObject({
  id: z.string().describe('The id of the message.'),
  role: z.enum(roles).describe('The role of the author.'),
  createdAt: z.coerce
    .date()
    .meta({ type: 'string', format: 'date-time' })
    .describe('The creation time; a string is parsed as ISO 8601.'),
  threadId: z.string().optional().describe('The id of the conversation.'),
  resourceId: z.string().optional().describe('The id of the owner of the conversation.'),
  type: z.string().optional().describe('The type of the message.'),
  content: messageContentSchema.describe('The content of the message.'),
});

/** An interface, which declarations name where they would write an alias out. */
export interface MessageSchema extends z.ZodType<Message, MessageInput> {}

/** A message. The message itself is passed on; it is copied only to convert `createdAt` into a Date. */
export const messageSchema: MessageSchema = byReference<Message, MessageInput>(messageStructure, {
  rebuild: (value, parsed) => {
    // Both passed the structure above.
    const { createdAt } = parsed as Message;
    const message = value as MessageInput;
    return message.createdAt instanceof Date ? message : { ...message, createdAt };
  },
});
