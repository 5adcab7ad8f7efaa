import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { isSame } from '../pipeline/plain-data.js';
import type { AnyMessage } from './spec.js';

export type StoredPart = MastraDBMessage['content']['parts'][number];
type Invocation = Extract<StoredPart, { type: 'tool-invocation' }>['toolInvocation'];

/** A part of a message in any of the forms that the AI SDK gives it. */
interface Part {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Where a stored part's words stand in the messages that it was made of. */
interface Slot {
  /** Of the messages, of the parts of its content (0 where that is a text), of the stored parts. */
  readonly message: number;
  readonly part: number;
  readonly stored: number;
}

/** What a group of messages is to guards: stored parts, and how they are tied to the messages. */
export interface Stored {
  readonly parts: StoredPart[];
  readonly slots: readonly Slot[];
}

const partsIn = ({ content }: AnyMessage): readonly Part[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : (content as unknown as readonly Part[]); // all have a type

/** The stored parts of a message of the user, or of an answer with its tools' results. */
export const toStored = (messages: readonly AnyMessage[]): Stored => {
  const parts: StoredPart[] = [];
  const slots: Slot[] = [];
  const calls = new Map<unknown, number>();
  for (const [message, { role }] of messages.entries()) {
    if (role === 'assistant' && parts.length > 0) parts.push({ type: 'step-start' });
    for (const [part, given] of partsIn(messages[message] as AnyMessage).entries()) {
      const stored = given.type === 'tool-result' ? takeResult({ parts, calls }, given) : takePart({ parts, calls }, given);
      if (stored !== undefined) slots.push({ message, part, stored });
    }
  }
  return { parts, slots };
};

interface Taking {
  readonly parts: StoredPart[];
  /** Where each tool call stands. */
  readonly calls: Map<unknown, number>;
}

const takePart = ({ parts, calls }: Taking, given: Part): number | undefined => {
  const made = storedPart(given);
  if (!made) return undefined;
  if (given.type === 'tool-call') calls.set(given['toolCallId'], parts.length);
  return parts.push(made) - 1;
};

/** A result stands with its call; one whose call is not there stands alone. */
const takeResult = (taking: Taking, given: Part): number => {
  const { toolCallId, toolName } = given as unknown as { toolCallId: string; toolName: string }; // a tool-result part has both
  const result = resultIn(given['output']);
  const known = taking.calls.get(toolCallId);
  const part = known === undefined ? undefined : taking.parts[known];
  if (known !== undefined && part?.type === 'tool-invocation') {
    Object.assign(part.toolInvocation, { state: 'result', result });
    return known;
  }
  const toolInvocation = { state: 'result', toolCallId, toolName, args: {}, result } as Invocation;
  return taking.parts.push({ type: 'tool-invocation', toolInvocation }) - 1;
};

/** A tool's output as its guards see it: the value without how it is labelled for the model. */
const resultIn = (output: unknown): unknown => {
  const labelled = (output ?? {}) as { value?: unknown; reason?: unknown };
  return 'value' in labelled ? labelled.value : labelled.reason;
};

/** A part as Mastra keeps it; nothing for what only a provider reads. */
const storedPart = (part: Part): StoredPart | undefined => {
  const { providerOptions } = part;
  const metadata = providerOptions ? { providerMetadata: providerOptions as never } : {}; // the provider's own, carried through
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part['text'] as string, ...metadata };
    case 'reasoning': {
      const text = part['text'] as string;
      return { type: 'reasoning', reasoning: text, details: [{ type: 'text', text }], ...metadata };
    }
    case 'tool-call': {
      const { toolCallId, toolName, input } = part as unknown as { toolCallId: string; toolName: string; input: never };
      return { type: 'tool-invocation', toolInvocation: { state: 'call', toolCallId, toolName, args: input }, ...metadata };
    }
    case 'file':
    case 'image':
      return { type: 'file', data: dataIn(part['data'] ?? part['image']), mimeType: (part['mediaType'] as string) ?? 'image/*' };
    default:
      return undefined;
  }
};

/** Bytes as base64, an address as text. */
const dataIn = (given: unknown): string => {
  if (typeof given === 'string') return given;
  if (given instanceof URL) return given.href;
  if (given instanceof Uint8Array) return Buffer.from(given).toString('base64');
  const { data, url } = (given ?? {}) as { data?: unknown; url?: unknown };
  return data === undefined && url === undefined ? '' : dataIn(data ?? url);
};

/** What guards may have changed of a part, by what it says. */
const saidBy = (part: StoredPart | undefined): unknown => {
  if (part?.type === 'text') return part.text;
  if (part?.type === 'reasoning') return part.reasoning;
  if (part?.type === 'file') return part.data;
  if (part?.type !== 'tool-invocation') return undefined;
  const { args, result } = part.toolInvocation as { args?: unknown; result?: unknown }; // whichever state it is in
  return { args, result };
};

/** Whether two lists of parts say the same. */
export const saySame = (before: readonly StoredPart[], after: readonly StoredPart[]): boolean =>
  before.length === after.length &&
  before.every((part, index) => part.type === after[index]?.type && isSame(saidBy(part), saidBy(after[index])));

/**
 * The messages with what guards made of their stored parts, everything else in them as it was; nothing where parts were added,
 * removed or moved, for then nobody can say which belongs where.
 */
export const patched = (
  messages: readonly AnyMessage[],
  { parts: before, slots }: Stored,
  after: readonly StoredPart[],
): readonly AnyMessage[] | undefined => {
  const isSameShape = before.length === after.length && before.every((part, index) => isAligned(part, after[index]));
  if (!isSameShape) return undefined;
  return messages.map((message, at) => {
    const own = slots.filter(({ message: of, stored }) => of === at && !isSame(saidBy(before[stored]), saidBy(after[stored])));
    if (own.length === 0) return message;
    const parts = [...partsIn(message)];
    for (const slot of own) parts[slot.part] = patchPart(parts[slot.part] as Part, after[slot.stored] as StoredPart);
    const [only] = parts;
    const content = typeof message.content === 'string' ? only?.['text'] : parts;
    return { ...message, content } as AnyMessage; // the parts that it had, with other words
  });
};

const isAligned = (before: StoredPart, after: StoredPart | undefined): boolean => {
  if (before.type !== after?.type) return false;
  if (before.type === 'file') return isSame(saidBy(before), saidBy(after));
  if (before.type !== 'tool-invocation' || after.type !== 'tool-invocation') return true;
  return before.toolInvocation.toolCallId === after.toolInvocation.toolCallId;
};

const patchPart = (part: Part, after: StoredPart): Part => {
  if (after.type === 'text') return { ...part, text: after.text };
  if (after.type === 'reasoning') return { ...part, text: after.reasoning };
  if (after.type !== 'tool-invocation') return part;
  if (part.type === 'tool-call') return { ...part, input: after.toolInvocation.args };
  const { result } = after.toolInvocation as { result?: unknown };
  return isSame(result, resultIn(part['output'])) ? part : { ...part, output: outputOf(result, part['output']) };
};

/** A changed result, labelled for the model as the one before it where that still fits. */
const outputOf = (result: unknown, before: unknown): unknown => {
  const { type } = (before ?? {}) as { type?: string };
  if (type === 'content' && Array.isArray(result)) return { type, value: result };
  const isError = type === 'error-text' || type === 'error-json';
  const kind = typeof result === 'string' ? 'text' : 'json';
  return { type: isError ? `error-${kind}` : kind, value: result ?? null };
};
