import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { describeValue } from '../phase/settle-messages.js';
import type { MessagePort } from '../phase/host.js';
import { fieldsIn, definedFields } from '../phase/plain-data.js';

/** Lists store system messages separately, so that the type of a message's role lacks them; hooks may return them among the others. */
export const isSystem = ({ role }: { readonly role?: unknown }): boolean => role === 'system';

/** The text of a system message in any form. */
export const systemText = ({ content }: MastraDBMessage): string => {
  if (typeof content === 'string') return content; // hooks may return plain system messages
  const parts = content.parts?.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? [];
  return parts.length > 0 ? parts.join('\n') : (content.content ?? '');
};

/** Whether a message has the stored form of lists, with an id. */
export const isStored = ({ id, content }: { readonly id?: unknown; readonly content?: unknown }): boolean =>
  typeof id === 'string' && Array.isArray(fieldsIn(content)['parts']);

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
  if (isStored(message) && message.createdAt) return message as MastraDBMessage; // isStored checked the form
  return {
    ...definedFields({ threadId: message.threadId, resourceId: message.resourceId, type: message.type }),
    id,
    role: role === 'tool' ? 'assistant' : role,
    createdAt,
    content: contentOf(message, content),
  };
};

const isMessageInput = (value: unknown): value is MessageInput => {
  if (typeof value !== 'object' || value === null) return false;
  const { role, content, parts } = fieldsIn(value);
  return typeof role === 'string' && (Array.isArray(parts) || isContent(content));
};

const isContent = (content: unknown): boolean =>
  typeof content === 'string' || Array.isArray(content) || Array.isArray(fieldsIn(content)['parts']);

const contentOf = ({ role, parts }: MessageInput, content: MessageInput['content']): Content => {
  if (parts) return { format: 2, parts: [...parts] };
  if (typeof content === 'object' && 'parts' in content) return content;
  return { format: 2, parts: toStored([{ role, content: content ?? '' }]) };
};

export type StoredPart = MastraDBMessage['content']['parts'][number];
type Invocation = Extract<StoredPart, { type: 'tool-invocation' }>['toolInvocation'];

/** A part of a message in any form of the AI SDK. */
export interface Part {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A message in any form of the AI SDK. */
export interface ModelMessage {
  readonly role: string;
  readonly content: string | readonly { readonly type: string }[];
}

/** The parts of a message; a text is one. */
export const partsIn = ({ content }: ModelMessage): readonly Part[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** The stored parts of a message of the user, or of a response with its tools' results. A result is stored with its call. */
export const toStored = (messages: readonly ModelMessage[]): StoredPart[] => {
  const parts: StoredPart[] = [];
  const calls = new Map<unknown, Invocation>();
  for (const message of messages) {
    if (message.role === 'assistant' && parts.length > 0) parts.push({ type: 'step-start' });
    for (const part of partsIn(message)) {
      const call = part.type === 'tool-result' ? calls.get(part['toolCallId']) : undefined;
      const stored = call ? void Object.assign(call, outcomeOf(part)) : storedPart(part);
      if (!stored) continue;
      parts.push(stored);
      if (part.type === 'tool-call' && stored.type === 'tool-invocation') calls.set(part['toolCallId'], stored.toolInvocation);
    }
  }
  return parts;
};

const outcomeOf = ({ output }: Part): object => {
  const isError = String(fieldsIn(output)['type']).startsWith('error-');
  return { state: 'result', result: resultIn(output), ...(isError && { isError }) };
};

/** A tool's output as guards see it: the value without its label for the model. */
export const resultIn = (output: unknown): unknown => {
  const labelled = fieldsIn(output);
  return 'value' in labelled ? labelled['value'] : labelled['reason'];
};

/** A part in Mastra's stored form; undefined for a part that only a provider reads. */
const storedPart = (part: Part): StoredPart | undefined => {
  const { providerOptions } = part;
  const metadata = providerOptions ? { providerMetadata: providerOptions as never } : {}; // the provider's own, passed through
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part['text'] as string, ...metadata };
    case 'reasoning': {
      const text = part['text'] as string;
      return { type: 'reasoning', reasoning: text, details: [{ type: 'text', text }], ...metadata };
    }
    case 'tool-call': {
      const { toolCallId, toolName, input } = part as Part & { toolCallId: string; toolName: string; input: never };
      return { type: 'tool-invocation', toolInvocation: { state: 'call', toolCallId, toolName, args: input }, ...metadata };
    }
    case 'tool-result': {
      const { toolCallId, toolName } = part; // without its call
      return { type: 'tool-invocation', toolInvocation: { toolCallId, toolName, args: {}, ...outcomeOf(part) } as Invocation };
    }
    case 'file':
    case 'image':
      return {
        type: 'file',
        data: dataIn(part['data'] ?? part['image']),
        mimeType: (part['mediaType'] as string) ?? 'image/*',
        ...(typeof part['filename'] === 'string' && { filename: part['filename'] }),
      };
    default:
      return undefined;
  }
};

/** Bytes as base64, a URL as text. */
const dataIn = (given: unknown): string => {
  if (typeof given === 'string') return given;
  if (given instanceof URL) return given.href;
  if (given instanceof Uint8Array) return btoa(Array.from(given, (byte) => String.fromCharCode(byte)).join(''));
  const { data, url } = fieldsIn(given);
  return data === undefined && url === undefined ? '' : dataIn(data ?? url);
};

/** Reorders the messages of a scope among the other messages, which keep their positions. */
export const interleaved = <Message extends { readonly id: string }>(
  all: readonly Message[],
  wanted: readonly Message[],
  inScope: ReadonlySet<string>,
): Message[] => {
  const places = new Map(wanted.map(({ id }, index) => [id, index]));
  let done = 0;
  const messages = all.flatMap((message) => {
    const place = places.get(message.id);
    if (place === undefined) return inScope.has(message.id) ? [] : [message];
    const from = done;
    done = Math.max(done, place + 1);
    return wanted.slice(from, done);
  });
  return [...messages, ...wanted.slice(done)];
};

/** The result of a tool call in messages, including the text of an error. */
export const readToolResult = (
  messages: readonly MastraDBMessage[],
  toolCallId: string,
): ReturnType<MessagePort['readToolResult']> => {
  for (const message of messages.toReversed())
    for (const part of message.content.parts) {
      if (part.type !== 'tool-invocation' || part.toolInvocation.toolCallId !== toolCallId) continue;
      const { state, result, errorText } = part.toolInvocation;
      if (state === 'result') return { found: true, result };
      if (state === 'output-error' || state === 'output-denied') return { found: true, result: errorText };
    }
  return { found: false };
};
