import { withoutStandIns } from '../guard/stand-ins.js';
import { partsIn, resultIn, type Part, type StoredPart } from '../plain/stored-message.js';
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
const contentOf = (part: StoredPart | undefined): unknown => {
  if (part?.type === 'text') return part.text;
  if (part?.type === 'reasoning') return part.reasoning;
  if (part?.type === 'file') return [part.data, fieldsIn(part)['filename']];
  const call = invocationOf(part);
  return call && { args: call.args, result: call.result, toolName: call.toolName };
};

/** Whether two lists of parts have the same content. */
export const haveSameContent = (before: readonly StoredPart[], after: readonly StoredPart[]): boolean =>
  before.length === after.length &&
  before.every((part, index) => part.type === after[index]?.type && hasSameContent(part, after[index]));

export const hasSameContent = (a: StoredPart | undefined, b: StoredPart | undefined): boolean =>
  isSame(contentOf(a), contentOf(b));

/** Stored parts before and after their guards. */
interface Edit {
  readonly before: readonly StoredPart[];
  readonly after: readonly StoredPart[];
}

/** A part with an edit of its stored part; undefined if the edit does not fit. */
export type EditPart = (part: Part, edit: { readonly before: StoredPart; readonly after: StoredPart }) => Part | undefined;

/**
 * The messages with the guards' edits of their stored parts; everything else is unchanged, and unchanged messages are the same objects.
 * Undefined when parts were added, removed or moved, because their owner is then unknown.
 */
export const patchMessages = <M extends AnyMessage>(messages: readonly M[], edit: Edit): M[] | undefined => {
  const parts = messages.map(partsIn);
  const edited = patchParts(parts.flat(), edit, patchedPart);
  return (
    edited &&
    messages.map((message, index) => {
      const own = edited.splice(0, parts[index]?.length);
      if (own.every((part, at) => part === parts[index]?.[at])) return message;
      return { ...message, content: typeof message.content === 'string' ? own[0]?.['text'] : own }; // its original parts
    })
  );
};

const patchedPart: EditPart = (part, { before, after }) => {
  const isResult = part.type === 'tool-result';
  if (isResult && !isSame(resultIn(part['output']), invocationOf(before)?.result)) return undefined; // it is sent in another form
  const { providerOptions } = part;
  const falling = hasSameContent(before, after) ? 'references' : 'all';
  const left = isResult ? withoutStandIns(providerOptions, falling) : fieldsIn(after)['providerMetadata']; // a result is stored without
  return { ...patchPart(part, after), ...(providerOptions !== undefined && { providerOptions: left }) };
};

export const callIdOf = (part: StoredPart): string | undefined => invocationOf(part)?.toolCallId;

/** Whether a part has a text: providers and the AI SDK leave out empty ones. */
const isWords = (part: { readonly type: string }): boolean =>
  (part.type === 'text' || part.type === 'reasoning') && textIn(part) !== '';

const textIn = (part: object): unknown => ('reasoning' in part ? part.reasoning : fieldsIn(part)['text']);

export const wordsOf = (parts: readonly { readonly type: string }[]): unknown[] => parts.filter(isWords).map(textIn);

/** Parts with edits: of words by their order, of calls by their ids. Undefined if one of them does not fit. */
export const patchParts = (parts: readonly Part[], { before, after }: Edit, edit: EditPart): Part[] | undefined => {
  if (!isSameShape(before, after)) return undefined;
  const all = before.map((was, index) => ({ before: was, after: after[index] ?? was }));
  const words = all.filter((change) => isWords(change.before));
  const calls = new Map(all.map((change) => [callIdOf(change.before), change]));
  const haveSameWords = isSame(wordsOf(parts), wordsOf(before));
  const fits = (change: (typeof all)[number]): boolean => {
    const id = callIdOf(change.before);
    if (id === undefined) return haveSameWords && isWords(change.before);
    return calls.get(id) === change && parts.some(({ toolCallId }) => toolCallId === id);
  };
  if (!all.every((change) => hasSameContent(change.before, change.after) || fits(change))) return undefined;
  const edited = parts.map((part) => {
    const id = callOf(part);
    const change = isWords(part) ? words.shift() : id !== undefined && calls.get(id);
    return change && !isSame(change.before, change.after) && fits(change) ? edit(part, change) : part; // also if only its metadata changed
  });
  return edited.every((part) => part !== undefined) ? edited : undefined;
};

const callOf = ({ toolCallId, toolCall }: Part): string | undefined =>
  (toolCallId ?? fieldsIn(toolCall)['toolCallId']) as string | undefined; // ids are texts

/** Whether no part was added, removed or moved. */
export const isSameShape = (before: readonly StoredPart[], after: readonly StoredPart[]): boolean =>
  before.length === after.length && before.every((part, index) => isAligned(part, after[index]));

const isAligned = (before: StoredPart, after: StoredPart | undefined): boolean => {
  if (before.type !== after?.type) return false;
  if (before.type === 'file') return hasSameContent(before, after);
  return invocationOf(before)?.toolCallId === invocationOf(after)?.toolCallId;
};

/** A part with the content of its stored one. */
export const patchPart = (part: Part, after: StoredPart): Part => {
  if (after.type === 'text') return { ...part, text: after.text };
  if (after.type === 'reasoning') return { ...part, text: after.reasoning };
  const call = invocationOf(after);
  if (!call || part.type === 'tool-approval-request') return part;
  const { toolName, args, result } = call;
  if (part.type === 'tool-call') return { ...part, toolName, input: args };
  const left = part['toolName'] === toolName ? part : { ...part, toolName };
  return isSame(result, resultIn(part['output'])) ? left : { ...left, output: outputOf(result, part['output']) };
};

/** A changed result, labeled for the model like the previous one if that still fits. */
const outputOf = (result: unknown, before: unknown): unknown => {
  const { type } = fieldsIn(before);
  if (type === 'content' && Array.isArray(result)) return { type, value: result };
  const isError = type === 'error-text' || type === 'error-json';
  const kind = typeof result === 'string' ? 'text' : 'json';
  return { type: isError ? `error-${kind}` : kind, value: result ?? null };
};

/** A part of a message in a model's prompt. */
type Sent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** A message that guards created or recreated, as messages of a model's prompt; the results of its tools follow it. */
export const toModelMessages = ({ role, content: { parts } }: MastraDBMessage): AnyMessage[] => {
  const messages =
    role === 'user'
      ? [{ role, content: parts.flatMap(sentPart) }]
      : stepsIn(parts).flatMap((own) => [
          { role: 'assistant', content: own.flatMap(sentPart) },
          { role: 'tool', content: own.flatMap(sentResult) },
        ]);
  const sent: unknown = messages.filter(({ content }) => content.length > 0);
  return sent as AnyMessage[]; // parts as the AI SDK types them
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
    const { data, mimeType } = part;
    const { filename } = fieldsIn(part);
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
