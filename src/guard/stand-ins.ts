import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import { copyPlain, isRecord, isSame, fieldsIn } from '../phase/plain-data.js';
import type { PhaseData } from '../phase/row.js';

type Part = MastraDBMessage['content']['parts'][number];

/**
 * Fields of provider metadata that stand for content: the provider replaces a reference by the content that it stored, and checks or
 * decrypts the others.
 */
const references = /^(itemId|resultItemId)$/;
const standIns =
  /^(itemId|resultItemId|signature|thoughtSignature|thought_signature|redactedData|(reasoning)?[eE]ncrypted_?[cC]ontent)$/;

type Prompt = PhaseData<'llmRequest'>['prompt'];

/** Which fields fall: all of an edited part, or only references, because a provider rejects some without their neighbors. */
type Falling = 'all' | 'references';

/** The same metadata without the fields that stand for content. */
export const withoutStandIns = <T>(metadata: T, falling: Falling): T => {
  if (!isRecord(metadata)) return metadata;
  const names = falling === 'all' ? standIns : references;
  const left = Object.entries(metadata).flatMap(([name, one]): [string, unknown][] =>
    names.test(name) ? [] : [[name, withoutStandIns(one, falling)]],
  );
  return Object.fromEntries(left) as T; // fewer fields
};

/** The fields of metadata that stand for content, as text; undefined without any. */
const standInsOf = (metadata: unknown): string | undefined => {
  if (!isRecord(metadata)) return undefined;
  const found = Object.entries(metadata).flatMap(([name, one]): unknown[] =>
    standIns.test(name) ? [one] : [standInsOf(one)].filter(Boolean),
  );
  return found.length > 0 ? JSON.stringify(found) : undefined;
};

/** Whether metadata has a field that represents content. */
export const hasStandIns = (metadata: unknown): boolean => standInsOf(metadata) !== undefined;

interface WithMetadata {
  providerMetadata?: unknown;
  /** The same in a prompt. */
  providerOptions?: unknown;
}

const metadataOf = (part: object): unknown => {
  const { providerMetadata, providerOptions }: WithMetadata = part;
  return providerMetadata ?? providerOptions;
};

/** A copy of the content that the fields of a part stand for. */
const contentOf = (part: Part): unknown => {
  if (part.type === 'text') return part.text;
  if (part.type === 'reasoning' && 'details' in part)
    return [part.reasoning, ...part.details.map((detail) => ('text' in detail ? detail.text : undefined))];
  if (part.type !== 'tool-invocation') return copyPlain({ ...part, providerMetadata: undefined, providerOptions: undefined });
  const { toolName, args, ...end } = part.toolInvocation;
  return copyPlain([toolName, args, fieldsIn(part)['providerExecuted'] && end]);
};

/** Removes the fields of a part that stand for content. */
export const dropStandIns = (part: Part, falling: Falling): void => {
  const metadata = metadataOf(part);
  if (metadata) (part as WithMetadata).providerMetadata = withoutStandIns(metadata, falling);
  if (falling === 'all' && part.type === 'reasoning') part.details = part.details.map((detail) => withoutStandIns(detail, 'all'));
};

/** The result of a call, and the form of it that the model reads in its place. */
interface ModelForm {
  readonly result: unknown;
  readonly output: unknown;
}

const formOf = (part: Part): ModelForm | undefined => {
  if (part.type !== 'tool-invocation') return undefined;
  const { modelOutput } = fieldsIn(fieldsIn(metadataOf(part))['mastra']);
  return modelOutput === undefined ? undefined : copyPlain({ result: part.toolInvocation, output: modelOutput });
};

/** The model reads an edited result, unless its form was edited as well. */
const dropStaleForms = (message: MastraDBMessage, before: ReadonlyMap<string, ModelForm>): void => {
  for (const part of message.content.parts) {
    const [was, now] = [part.type === 'tool-invocation' && before.get(part.toolInvocation.toolCallId), formOf(part)];
    if (!was || !now || isSame(was.result, now.result) || !isSame(was.output, now.output)) continue;
    const { mastra, ...metadata } = metadataOf(part) as { mastra: object }; // it has a form
    (part as WithMetadata).providerMetadata = { ...metadata, mastra: { ...mastra, modelOutput: undefined } };
  }
};

const formsOf = ({ content }: MastraDBMessage): ReadonlyMap<string, ModelForm> =>
  new Map(
    (content.parts ?? []).flatMap((part): [string, ModelForm][] => {
      const form = formOf(part);
      return form && part.type === 'tool-invocation' ? [[part.toolInvocation.toolCallId, form]] : [];
    }),
  );

type Contents = Map<string, unknown[]>;

/** The contents of a message's parts, by the fields that stand for them: several parts may share one reference. */
const contentsOf = (parts: readonly Part[] = []): Contents => {
  const contents: Contents = new Map();
  for (const part of parts) {
    const key = standInsOf(metadataOf(part));
    if (key !== undefined) contents.set(key, [...(contents.get(key) ?? []), contentOf(part)]);
  }
  return contents;
};

/**
 * Notes what the parts of messages stand for before guards run. The returned function removes, from the messages after them, the fields of
 * edited parts, every reference of a message with an edited or removed part, and the model's form of an edited result.
 */
export const noteStandIns = (before: readonly MastraDBMessage[]): ((after: readonly MastraDBMessage[]) => void) | undefined => {
  const known = new Map<string, { contents: Contents; forms: ReadonlyMap<string, ModelForm> }>();
  for (const message of before) {
    if (message.content.parts?.every((part) => metadataOf(part) === undefined)) continue; // most messages of a long conversation
    const own = { contents: contentsOf(message.content.parts), forms: formsOf(message) };
    if (own.contents.size + own.forms.size > 0) known.set(message.id, own);
  }
  if (known.size === 0) return undefined;
  return (after) => {
    for (const message of after) {
      const own = known.get(message.id);
      if (own && own.contents.size > 0) dropFallen(message, own.contents);
      if (own && own.forms.size > 0) dropStaleForms(message, own.forms);
    }
  };
};

const dropFallen = ({ content: { parts } }: MastraDBMessage, before: Contents): void => {
  const fallingOf = fallenIn(parts, before);
  for (const part of parts) {
    const falling = fallingOf?.(part);
    if (falling) dropStandIns(part, falling);
  }
};

/** The fields that each part of a message loses; undefined if nothing has changed. */
const fallenIn = (parts: readonly Part[], before: Contents): ((part: Part) => Falling | undefined) | undefined => {
  const now = contentsOf(parts);
  const fallen = new Set([...before].flatMap(([key, contents]) => (isSame(now.get(key), contents) ? [] : [key])));
  if (fallen.size === 0) return undefined;
  return (part) => {
    const key = standInsOf(metadataOf(part));
    return key === undefined ? undefined : fallen.has(key) ? 'all' : 'references';
  };
};

/** The same for the prompt of a call. The returned function returns a new prompt if anything falls: its messages may be the caller's. */
export const noteSentStandIns = (before: Prompt): ((after: Prompt) => Prompt) | undefined => {
  const contents = before.map((message) => contentsOf(sentParts(message)));
  /** Messages of a prompt have no ids: their fields identify them. */
  const known = Map.groupBy(
    contents.flatMap((own) => [...own.keys()].map((key) => ({ key, own }))),
    ({ key }) => key,
  );
  if (known.size === 0) return undefined;
  return (after) => {
    const left = after.map((message) => {
      const parts = sentParts(message);
      const earlier = parts.flatMap((part) => known.get(standInsOf(metadataOf(part)) ?? '') ?? []);
      const falling = [...new Set(earlier.map(({ own }) => own))].map((own) => fallenIn(parts, own));
      const fallingOf = falling.includes(undefined) ? undefined : falling[0]; // nothing falls if the message equals one of those that had its fields
      return fallingOf ? { ...message, content: parts.map((part) => withoutFields(part, fallingOf(part))) } : message;
    });
    return left.every((message, index) => message === after[index]) ? after : (left as Prompt); // the same messages with less metadata
  };
};

const withoutFields = (part: Part, falling: Falling | undefined): object =>
  falling ? { ...part, providerOptions: withoutStandIns(metadataOf(part), falling) } : part;

/** Parts of a prompt have the type and the text in the same fields as stored ones. */
const sentParts = ({ content }: Prompt[number]): readonly Part[] => (typeof content === 'string' ? [] : (content as never));
