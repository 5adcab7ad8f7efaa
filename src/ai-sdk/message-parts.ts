import { partsIn, resultIn, toStored, type Part, type Slot, type StoredPart } from '../plain/stored-message.js';
import { isSame, fieldsIn } from '../phase/plain-data.js';
import type { AnyMessage } from './spec.js';
import type { MastraDBMessage } from '@mastra/core/agent/message-list';

/** A call of a tool in any state. */
export interface Invocation {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly state: string;
  readonly args?: unknown;
  readonly result?: unknown;
  readonly errorText?: string;
}

export const invocationOf = (part: StoredPart | undefined): Invocation | undefined =>
  part?.type === 'tool-invocation' ? part.toolInvocation : undefined;

/** The content of a part that guards may change. */
export const contentOf = (part: StoredPart | undefined): unknown => {
  if (part?.type === 'text') return part.text;
  if (part?.type === 'reasoning') return part.reasoning;
  if (part?.type === 'file') return [part.data, fieldsIn(part)['filename']];
  const call = invocationOf(part);
  return call && { args: call.args, result: call.result, toolName: call.toolName };
};

/** Whether two lists of parts have the same content. */
export const haveSameContent = (before: readonly StoredPart[], after: readonly StoredPart[]): boolean =>
  before.length === after.length &&
  before.every((part, index) => part.type === after[index]?.type && isSame(contentOf(part), contentOf(after[index])));

/**
 * The messages with the guards' edits of their stored parts; everything else is unchanged. Undefined when parts were added,
 * removed or moved, because their owner is then unknown.
 */
export const patched = (
  messages: readonly AnyMessage[],
  before: readonly StoredPart[],
  after: readonly StoredPart[],
): readonly AnyMessage[] | undefined => {
  if (!isSameShape(before, after)) return undefined;
  const slots: Slot[] = [];
  toStored(messages, slots);
  return messages.map((message, at) => {
    const own = slots.filter(({ message: of, stored }) => of === at && !isSame(before[stored], after[stored]));
    if (own.length === 0) return message;
    const parts = [...partsIn(message)];
    for (const slot of own) parts[slot.part] = patchSent(parts[slot.part] as Part, after[slot.stored] as StoredPart);
    const [only] = parts;
    const content = typeof message.content === 'string' ? only?.['text'] : parts;
    return { ...message, content } as AnyMessage; // its original parts, with changed content
  });
};

/** Whether no part was added, removed or moved. */
export const isSameShape = (before: readonly StoredPart[], after: readonly StoredPart[]): boolean =>
  before.length === after.length && before.every((part, index) => isAligned(part, after[index]));

const isAligned = (before: StoredPart, after: StoredPart | undefined): boolean => {
  if (before.type !== after?.type) return false;
  if (before.type === 'file') return isSame(contentOf(before), contentOf(after));
  return invocationOf(before)?.toolCallId === invocationOf(after)?.toolCallId;
};

/** The same with its metadata, without the fields that represent the content before an edit. */
const patchSent = (part: Part, after: StoredPart): Part => {
  const patch = patchPart(part, after);
  return part['providerOptions'] === undefined || part.type === 'tool-result'
    ? patch
    : { ...patch, providerOptions: fieldsIn(after)['providerMetadata'] };
};

/** A part with the content of its stored one. */
export const patchPart = (part: Part, after: StoredPart): Part => {
  if (after.type === 'text') return { ...part, text: after.text };
  if (after.type === 'reasoning') return { ...part, text: after.reasoning };
  const call = invocationOf(after);
  if (!call) return part;
  const { toolName, args, result } = call;
  if (part.type === 'tool-call') return { ...part, toolName, input: args };
  const left = part['toolName'] === toolName ? part : { ...part, toolName };
  return isSame(result, resultIn(part['output'])) ? left : { ...left, output: outputOf(result, part['output']) };
};

/** A changed result, labeled for the model like the previous one if that still fits. */
const outputOf = (result: unknown, before: unknown): unknown => {
  const { type } = (before ?? {}) as { type?: string };
  if (type === 'content' && Array.isArray(result)) return { type, value: result };
  const isError = type === 'error-text' || type === 'error-json';
  const kind = typeof result === 'string' ? 'text' : 'json';
  return { type: isError ? `error-${kind}` : kind, value: result ?? null };
};

/** A part of a message in a model's prompt. */
type Sent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** A message that guards created or recreated, as messages of a model's prompt; the results of its tools follow it. */
export const toModelMessages = ({ role, content }: MastraDBMessage): AnyMessage[] => {
  if (role === 'user') {
    const own = content.parts.flatMap(sentPart);
    return own.length > 0 ? [{ role, content: own } as unknown as AnyMessage] : []; // parts as the AI SDK types them
  }
  return stepsIn(content.parts).flatMap((parts) => {
    const own = parts.flatMap(sentPart);
    const results = parts.flatMap(sentResult);
    const messages = [
      { role: 'assistant', content: own },
      { role: 'tool', content: results },
    ];
    return messages.filter((message) => message.content.length > 0) as unknown as AnyMessage[]; // see above
  });
};

/** The parts of each step of a response. A step's results come before the next step's text. */
const stepsIn = (parts: readonly StoredPart[]): StoredPart[][] => {
  const steps: StoredPart[][] = [[]];
  for (const part of parts)
    if (part.type === 'step-start') steps.push([]);
    else steps.at(-1)?.push(part);
  return steps;
};

const sentPart = (part: StoredPart): Sent[] => {
  const { providerMetadata } = fieldsIn(part);
  const options = providerMetadata ? { providerOptions: providerMetadata } : {};
  if (part.type === 'text') return [{ type: 'text', text: part.text, ...options }];
  if (part.type === 'reasoning') return [{ type: 'reasoning', text: part.reasoning, ...options }];
  if (part.type === 'file') {
    const { data, mimeType, filename } = part as typeof part & { filename?: string }; // as it was stored
    return [{ type: 'file', data, mediaType: mimeType, ...(filename !== undefined && { filename }), ...options }];
  }
  const call = invocationOf(part);
  if (!call) return []; // sources and data are for clients
  const { toolCallId, toolName, args } = call;
  return [{ type: 'tool-call', toolCallId, toolName, input: args ?? {}, ...options }];
};

const sentResult = (part: StoredPart): Sent[] => {
  const call = invocationOf(part);
  const output = call && outcomeOf(call);
  return output ? [{ type: 'tool-result', toolCallId: call.toolCallId, toolName: call.toolName, output }] : [];
};

const outcomeOf = ({ state, result, errorText = '' }: Invocation): object | undefined => {
  if (state === 'output-error' || state === 'output-denied') return { type: 'error-text', value: errorText };
  if (state !== 'result') return undefined;
  return typeof result === 'string' ? { type: 'text', value: result } : { type: 'json', value: result ?? null };
};
