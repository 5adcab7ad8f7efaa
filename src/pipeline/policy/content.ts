import type { MastraDBMessage, MessageList } from '@mastra/core/agent/message-list';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { configure } from 'safe-stable-stringify';
import type { Host } from '../../phase/host.js';
import { once } from '../../phase/memo.js';
import type { PhaseData } from '../../phase/row.js';
import type { RunScope } from '../../phase/scope.js';
import type { MessageCarrier } from '../../phase/settle-messages.js';
import { fieldsIn, computed } from '../../phase/plain-data.js';

/** The content of a payload that a guard can see, by field, as text; messages and system messages are fields too. */
export type Content = Readonly<Record<string, string>>;

/**
 * The fields of all phases with content for a guard. Not included: fields that differ from run to run without content, and the messages,
 * which are in the list.
 */
const contentFields = [
  'activeTools',
  'args',
  'chunks',
  'decision',
  'error',
  'finishReason',
  'fromCache',
  'isError',
  'model',
  'modelSettings',
  'part',
  'prompt',
  'providerExecuted',
  'providerMetadata',
  'providerOptions',
  'rawResponse',
  'request',
  'response',
  'result',
  'stepNumber',
  'steps',
  'structuredOutput',
  'text',
  'toolCalls',
  'toolChoice',
  'toolName',
  'toolResultValue',
  'tools',
  'usage',
  'warnings',
] as const;

/**
 * Reads all content that a guard can see: the fields of its phase, the whole conversation, and the request's context. Ids and times that
 * a run generates are omitted. Throws for a value that cannot be serialized, e.g. a circular one.
 */
export const contentOf = (data: PhaseData, scope: RunScope): Content => {
  const { host } = scope;
  const fields = contentFields.map((name) => [name, textOf(fieldsIn(data)[name])]);
  const { messageList }: MessageCarrier = data;
  const conversation = messageList && {
    messages: textOf(bareMessages(host, messageList)),
    systemMessages: textOf(host.messages.readSystem(messageList)),
  };
  return { ...Object.fromEntries(fields), ...conversation, requestContext: contextOf(scope) } as Content;
};

/** The request's context as text. Throws for a value that cannot be serialized. */
export const contextOf = ({ requestContext }: RunScope): string => textOf(requestContext);

/** A short key of what a guard sees, without the identity of functions, because a guard can only call them. */
export const keyOf = (seen: object): string => bytesToHex(sha256(utf8ToBytes(textOf(seen).replaceAll(anyFunction(), ''))));

const bareMessages = ({ messages }: Host, list: MessageList): object[] => {
  const input = new Set(messages.read(list, 'input'));
  const response = new Set(messages.read(list, 'response'));
  const sourceOf = (message: MastraDBMessage) => (input.has(message) ? 'input' : response.has(message) ? 'response' : 'memory');
  return messages.read(list, 'all').map((message) => ({ ...bareMessage(message), source: sourceOf(message) }));
};

const bareMessage = ({ role, content, type }: MastraDBMessage): object => ({
  role,
  type,
  content: { ...content, toolInvocations: undefined, parts: content.parts.map(barePart) }, // the invocations are in the parts
});

const barePart = (part: MastraDBMessage['content']['parts'][number]): object => ({
  ...part,
  createdAt: undefined,
  ...(part.type === 'tool-invocation' && { toolInvocation: { ...part.toolInvocation, toolCallId: undefined } }),
});

const stringifyPlain = configure({ circularValue: Error });

const textOf = (value: unknown): string => stringifyPlain(value, (_key, inner) => plainContent(inner)) ?? '';

/** A value that is not plain data is represented by a mark that no content can contain. */
const mark = once(() => globalThis.crypto.randomUUID());
const anyFunction = once(() => new RegExp(`${mark()}-function-\\d+`, 'g'));
const numbers = new WeakMap<object, number>();
let count = 0;

/** A value for JSON: plain data as it is, models by their id, errors by their text, anything else by its identity. */
const plainContent = (value: unknown): unknown => {
  if (typeof value === 'bigint') return `${mark()}-bigint-${value}`;
  if (typeof value === 'number') return Number.isFinite(value) ? value : `${mark()}-number-${value}`;
  if (typeof value === 'function') return `${mark()}-function-${numberOf(value)}`;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isPlain(value)) return value;
  return plainInstance(value);
};

const plainInstance = (value: object): unknown => {
  const { provider, modelId } = fieldsIn(value);
  if (typeof modelId === 'string') return [`${mark()}-model`, provider, modelId];
  if (value instanceof Error)
    return { ...Object.fromEntries(Object.entries(value)), [mark()]: 'error', name: value.name, message: value.message };
  return `${mark()}-instance-${numberOf(value)}`;
};

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** Numbers objects and functions in the order of their first use. */
const numberOf = (value: object): number => computed(numbers, value, () => (count += 1));
