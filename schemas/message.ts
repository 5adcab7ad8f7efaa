import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { z } from 'zod';

import { byReference, openObject } from './open-object.js';

/** One piece of a message, as Mastra keeps it. */
export type MessagePart = MastraDBMessage['content']['parts'][number];

const bytesOrPlace = z.union([
  z.string(),
  z.custom<URL>((value) => value instanceof URL, 'expected a URL object').describe('Code only: a URL object.'),
  z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'expected bytes').describe('Code only: bytes.'),
]);

export const textPartSchema = openObject({
  type: z.literal('text').describe('A piece of text.'),
  text: z.string().describe('The text.'),
});

export const imagePartSchema = openObject({
  type: z.literal('image').describe('A picture.'),
  image: bytesOrPlace.describe('The image: a URL, a data URL, base64 text or bytes.'),
  mimeType: z.string().optional().describe('Its media type, e.g. image/png.'),
});

export const filePartSchema = openObject({
  type: z.literal('file').describe('An attached file.'),
  data: bytesOrPlace.describe('The content: a URL, a data URL, base64 text or bytes.'),
  mimeType: z.string().describe('Its media type, e.g. application/pdf.'),
});

/** The life of a tool call, approval included. */
const toolStates = [
  'partial-call',
  'call',
  'result',
  'approval-requested',
  'approval-responded',
  'output-error',
  'output-denied',
] as const;

export const toolInvocationPartSchema = openObject({
  type: z.literal('tool-invocation').describe('A tool call, with its result once there is one.'),
  toolInvocation: openObject({
    toolCallId: z.string().describe('The id that links call and result.'),
    toolName: z.string().describe('The name of the tool.'),
    args: z.unknown().optional().describe('The arguments that the model passed to the tool.'),
    state: z.enum(toolStates).describe('The state of the call.'),
    result: z.unknown().optional().describe('The value that the tool returned.'),
  }).describe('The call.'),
});

export const reasoningPartSchema = openObject({
  type: z.literal('reasoning').describe('The reasoning of the model.'),
  reasoning: z.string().describe('The reasoning as one text.'),
  details: z
    .array(
      openObject({
        type: z.enum(['text', 'redacted']).describe('Whether the provider shows this piece.'),
        text: z.string().optional().describe('The text of a shown piece.'),
        data: z.string().optional().describe('The encrypted content of a redacted piece.'),
      }),
    )
    .describe('The reasoning in pieces.'),
});

export const sourcePartSchema = openObject({
  type: z.literal('source').describe('A source that the response cites.'),
  source: openObject({
    sourceType: z.string().describe('The type of source, e.g. url.'),
    id: z.string().describe('The id within the response.'),
    url: z.string().optional().describe('The URL.'),
    title: z.string().optional().describe('The title.'),
  }).describe('The source.'),
});

export const sourceDocumentPartSchema = openObject({
  type: z.literal('source-document').describe('A document that the response cites.'),
  sourceId: z.string().describe('The id within the response.'),
  mediaType: z.string().describe('Its media type.'),
  title: z.string().describe('The title.'),
  filename: z.string().optional().describe('Its file name.'),
});

export const stepStartPartSchema = openObject({
  type: z.literal('step-start').describe('Marks the start of a step.'),
});

export const errorPartSchema = openObject({
  type: z.literal('error').describe('An error in the conversation.'),
  error: openObject({
    name: z.string().describe('The class of the error.'),
    message: z.string().describe('The message of the error.'),
  }).describe('The error.'),
});

export const dataPartSchema = openObject({
  type: z.templateLiteral(['data-', z.string()]).describe('The application’s own type; starts with data-.'),
  id: z.string().optional().describe('The id of the part. A later part with the same id replaces it.'),
  data: z.unknown().optional().describe('The content.'),
});

const knownParts: Record<string, z.ZodType> = {
  text: textPartSchema,
  image: imagePartSchema,
  file: filePartSchema,
  'tool-invocation': toolInvocationPartSchema,
  reasoning: reasoningPartSchema,
  source: sourcePartSchema,
  'source-document': sourceDocumentPartSchema,
  'step-start': stepStartPartSchema,
  error: errorPartSchema,
};

/** Parts of a type that is not ours to know: providers and later versions bring their own. */
const otherPartSchema = openObject({ type: z.string().describe('Any other type of part.') });

const structureOf = (part: unknown): z.ZodType => {
  const type: unknown = typeof part === 'object' && part !== null && 'type' in part ? part.type : undefined;
  if (typeof type !== 'string') return otherPartSchema;
  if (Object.hasOwn(knownParts, type)) return knownParts[type] ?? otherPartSchema;
  return type.startsWith('data-') ? dataPartSchema : otherPartSchema;
};

/** A part of any type. A known type is held to its fields, an unknown one only to having a type. */
export const messagePartSchema = byReference<MessagePart>(
  z.union([...Object.values(knownParts), dataPartSchema, otherPartSchema]),
  { structureOf },
);

/** A message as every phase carries it. */
export type Message = MastraDBMessage;

/** The parts of a message and what belongs to them. */
export type MessageContent = MastraDBMessage['content'];

/** A message as it may come in: its time may be text, as in JSON. */
type MessageInput = Omit<MastraDBMessage, 'createdAt'> & { createdAt: Date | string | number };

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
