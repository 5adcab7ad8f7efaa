import { withoutQuotations } from '../guard/read-fields.js';
import { copyShared, isPlain, isSame } from '../phase/plain-data.js';
import { fileKey, findToolPart, sourceFields, type Part, type Span } from './response.js';
import type { Chunk } from './ports.js';

type Words = Span['type'];

/** A snapshot of a message part; later edits by guards do not change it. */
export interface PartSnapshot {
  readonly type: string;
  /** The id of a tool call or a source. */
  readonly id: string | undefined;
  /** The text; for other parts their content, for comparison. */
  readonly value: unknown;
  /** The provider's metadata of the part. */
  readonly metadata?: unknown;
}

/** The guards' edits of a response after its chunks were created. */
export interface LateEdits {
  /** The current text of a part, by the id of its chunks; empty if it was removed. */
  readonly texts: ReadonlyMap<string, string>;
  /** Texts that a guard added. */
  readonly added: readonly { readonly type: Words; readonly text: string }[];
  /** Current tool calls, sources and files, by their ids, and files by their data; undefined if they were removed. */
  readonly others: ReadonlyMap<unknown, Part | undefined>;
}

/**
 * Takes snapshots of parts before guards judge them.
 *
 * @param earlier their earlier snapshots: unchanged values are shared, so that a long response is not copied again at each step
 */
export const snapshotParts = (parts: readonly Part[], earlier: readonly PartSnapshot[] = []): PartSnapshot[] =>
  parts.map((part, index) => snapshotOf(part, earlier[index]));

const metadataIn = (part: Part | undefined): unknown =>
  ((part?.type === 'source' ? part.source : (part ?? {})) as { providerMetadata?: unknown }).providerMetadata; // not all parts have it

const snapshotOf = (part: Part, earlier?: PartSnapshot): PartSnapshot => {
  const { type } = part;
  const { id, value } = contentOf(part, earlier?.value);
  const metadata = copyShared(earlier?.metadata, metadataIn(part));
  if (earlier?.type === type && earlier.id === id && earlier.value === value && earlier.metadata === metadata) return earlier;
  return { type, id, value, metadata };
};

const contentOf = (part: Part, earlier: unknown): Pick<PartSnapshot, 'id' | 'value'> => {
  const { type } = part;
  if (type === 'text' || type === 'reasoning') return { id: undefined, value: type === 'text' ? part.text : part.reasoning };
  if (type === 'tool-invocation') return { id: part.toolInvocation.toolCallId, value: callIn(part.toolInvocation, earlier) };
  if (isData(part)) return { id: dataAsText(part), value: dataAsText(part) };
  if (type === 'source') return { id: part.source.id, value: JSON.stringify(sourceFields(part)) };
  return { id: undefined, value: type === 'file' ? fileKey(part.data) : undefined };
};

/** A data part that a tool wrote. */
const isData = (part: { type: string }): boolean => part.type.startsWith('data-');

const dataAsText = (part: { type: string }): string => JSON.stringify((part as { data?: unknown }).data) ?? '';

/** The arguments, the result and the tool's name of a call; the earlier array if nothing changed. */
const callIn = (call: Extract<Part, { type: 'tool-invocation' }>['toolInvocation'], earlier: unknown): readonly unknown[] => {
  const [args, end, toolName] = Array.isArray(earlier) ? (earlier as unknown[]) : [];
  const now = [snapshotValue(args, call.args), snapshotValue(end, endOf(call)), call.toolName];
  return now[0] === args && now[1] === end && now[2] === toolName ? (earlier as unknown[]) : now;
};

/** A copy of plain data, and the text of other values: a guard may change a class instance in place. */
const snapshotValue = (earlier: unknown, value: unknown): unknown => {
  const copy = copyShared(earlier, value);
  return copy === earlier || isPlain(copy) ? copy : JSON.stringify(value);
};

export const isSamePart = (a: PartSnapshot | undefined, b: PartSnapshot | undefined): boolean =>
  a === b || (a?.type === b?.type && a?.id === b?.id && isSame(a?.value, b?.value) && isSame(a?.metadata, b?.metadata));

/** The end of a call: its result, or the text of its error. */
const endOf = (call: object): unknown => {
  const { state, result, errorText } = call as { state: string; result?: unknown; errorText?: string }; // the host's type is narrower
  return state === 'output-error' ? errorText : result;
};

/** The earlier snapshot of a call, with its current result. */
export const withResultOf = (was: PartSnapshot, parts: readonly PartSnapshot[]): PartSnapshot => {
  const now = parts.find(({ type, id }) => type === was.type && id === was.id);
  if (!now || now.value === was.value) return was;
  const [[args, , toolName], [, result]] = [was.value, now.value] as [unknown[], unknown[]]; // see callIn
  return { ...was, value: [args, result, toolName] };
};

/** A step's response before and after guards judged it. */
export interface Judged {
  readonly spans: readonly Span[];
  readonly before: readonly PartSnapshot[];
  /** The parts of the step now. */
  readonly own: readonly Part[];
  /** All parts of the response now: a call's part may have moved. */
  readonly all: readonly Part[];
}

/** The guards' edits of a step's response; undefined if they changed nothing that is in its chunks. */
export const lateEdits = ({ spans, before, own, all }: Judged): LateEdits | undefined => {
  const words = (['text', 'reasoning'] as const).map((type) => {
    const ids = spans.filter((span) => span.type === type).map(({ id }) => id);
    const was = before.filter((part) => part.type === type).map(({ value }) => value as string); // the value of such a part is a text
    return editedWords({
      type,
      ids,
      was,
      now: snapshotParts(own).flatMap((part) => (part.type === type ? [part.value as string] : [])),
    });
  });
  const texts = new Map(words.flatMap((one) => [...one.texts]));
  const added = words.flatMap((one) => one.added);
  const others = new Map([...before.flatMap((part) => editedPart(part, all)), ...editedData(before, own)]);
  const isQuoteEdited =
    before.length === own.length && before.some(({ metadata }, index) => !isSame(metadata, metadataIn(own[index])));
  return isQuoteEdited || texts.size + added.length + others.size > 0 ? { texts, added, others } : undefined;
};

interface WordsOfType {
  readonly type: Words;
  readonly ids: readonly string[];
  readonly was: readonly string[];
  readonly now: readonly string[];
}

/** Pairs parts in order. If their number changed, parts with equal text are paired, and the others are removed or added. */
const editedWords = ({ type, ids, was, now }: WordsOfType): Pick<LateEdits, 'texts' | 'added'> => {
  const texts = new Map<string, string>();
  const added: { type: Words; text: string }[] = [];
  if (was.join('\0') === now.join('\0')) return { texts, added };
  let at = 0;
  for (const [index, id] of ids.entries()) {
    if (ids.length === now.length) {
      const text = now[at] ?? '';
      if (text !== was[index]) texts.set(id, text);
      at += 1;
      continue;
    }
    const found = now.indexOf(was[index] ?? '', at);
    if (found === -1) texts.set(id, '');
    else {
      for (const text of now.slice(at, found)) added.push({ type, text });
      at = found + 1;
    }
  }
  for (const text of now.slice(at)) if (text !== '') added.push({ type, text });
  return { texts, added };
};

const editedPart = ({ type, id, value }: PartSnapshot, all: readonly Part[]): (readonly [unknown, Part | undefined])[] => {
  const now = partLike({ type, id, value }, all);
  if (now === 'any') return [];
  return now && isSame(contentOf(now, value).value, value) ? [] : [[id ?? value, now]];
};

/** Data parts have no ids: each is identified by its type and earlier data. */
const editedData = (before: readonly PartSnapshot[], own: readonly Part[]): (readonly [unknown, Part | undefined])[] =>
  before.flatMap((was, index) => {
    if (!isData(was)) return [];
    const now =
      before.length === own.length ? own[index] : own.find((part) => part.type === was.type && dataAsText(part) === was.value);
    return now?.type === was.type && dataAsText(now) === was.value ? [] : [[dataKey(was.type, was.id), now] as const];
  });

const dataKey = (type: string, text: string | undefined): string => `${type} ${text}`;

const partLike = ({ type, id, value }: PartSnapshot, all: readonly Part[]): Part | undefined | 'any' => {
  if (type === 'tool-invocation') return findToolPart(all, id as string); // every call has one
  if (type === 'source') return all.find((part) => part.type === 'source' && part.source.id === id);
  if (type === 'file') return all.find((part) => part.type === 'file' && fileKey(part.data) === value);
  return 'any';
};

/** The chunks of a response as its guards accepted it: no chunk contains removed content. */
export const withEdits = (chunks: readonly Chunk[], edits: LateEdits, newId: () => string): Chunk[] => {
  const written = new Set<string>();
  const edited = chunks.flatMap((chunk) => editedChunk(chunk, edits, written));
  const end = edited.findIndex(({ type }) => type === 'step-finish');
  const added = edits.added.flatMap((one) => textChunks(one, newId(), chunks[0]));
  return edited.toSpliced(end === -1 ? edited.length : end, 0, ...added);
};

type Payload = Record<string, unknown>;

const editedChunk = (chunk: Chunk, edits: LateEdits, written: Set<string>): Chunk[] => {
  const { type } = chunk;
  if (type === 'raw') return []; // the provider's raw text
  if (isData(chunk)) return editedDataChunk(chunk, edits);
  const payload = (chunk.payload ?? {}) as Payload; // read by name
  const fields = /^(text|reasoning)-/.test(type) ? editedText(type, payload, edits) : editedFields(type, payload, edits);
  if (fields === 'same') return [unquoted(chunk, payload)];
  // The first delta gets all of an edited text.
  const id = (payload['id'] ?? payload['toolCallId']) as string; // deltas have one of them
  if (fields === 'gone' || (type.endsWith('-delta') && written.has(id))) return [];
  if (type.endsWith('-delta')) written.add(id);
  return [unquoted(chunk, { ...payload, ...fields })];
};

/** Metadata of an edited response may quote removed content. */
const unquoted = (chunk: Chunk, payload: Payload): Chunk => {
  if (chunk.payload === undefined) return chunk;
  const { providerMetadata } = payload;
  if (providerMetadata === undefined) return payload === chunk.payload ? chunk : { ...chunk, payload };
  return { ...chunk, payload: { ...payload, providerMetadata: withoutQuotations(providerMetadata) } };
};

const editedDataChunk = (chunk: Chunk, { others }: LateEdits): Chunk[] => {
  const key = dataKey(chunk.type, dataAsText(chunk));
  if (!others.has(key)) return [chunk];
  const part = others.get(key);
  return part ? [{ ...chunk, data: (part as unknown as { data: unknown }).data }] : []; // a data part has data
};

/** The changed payload; or the chunk stays as it is, or is removed. */
type Edited = Payload | 'same' | 'gone';

const editedText = (type: string, { id }: Payload, { texts }: LateEdits): Edited => {
  const edit = texts.get(id as string); // a chunk of a text has the id of its part
  if (edit === '') return 'gone';
  return edit !== undefined && type.endsWith('-delta') ? { text: edit } : 'same';
};

const editedFields = (type: string, payload: Payload, { others }: LateEdits): Edited => {
  const key = keyOf(type, payload);
  if (key === undefined || !others.has(key)) return 'same';
  const part = others.get(key);
  if (part?.type === 'source') return sourceFields(part);
  if (part?.type !== 'tool-invocation') return 'gone';
  const { args, toolName, ...call } = part.toolInvocation;
  if (type === 'tool-output') return 'gone'; // tool output on the way to a result that was edited
  const named = 'toolName' in payload ? { toolName } : {};
  if (type === 'tool-error') return { ...named, args, error: new Error(String(endOf(call))) };
  if (type === 'tool-call-delta') return { ...named, argsTextDelta: JSON.stringify(args) };
  const result = type === 'tool-result' && call.state === 'result' ? { result: call.result } : {};
  return { ...named, ...('args' in payload && { args }), ...result };
};

const keyOf = (type: string, payload: Payload): unknown => {
  if (type === 'file') return fileKey(payload['data']);
  return type === 'source' ? payload['id'] : payload['toolCallId'];
};

/** A text as separate chunks. */
const textChunks = (
  { type, text, metadata }: { type: Words; text: string; metadata?: object },
  id: string,
  { runId, from = 'AGENT' }: Partial<Chunk> = {},
): Chunk[] =>
  [metadata, { text }, metadata].map((fields, index) => ({
    type: `${type}-${['start', 'delta', 'end'][index]}`,
    runId,
    from,
    payload: { id, ...fields },
  }));

/** Whether edits concern text that a reader has, or should have. */
export const changesWords = ({ texts, added }: LateEdits): boolean => texts.size + added.length > 0;

/** The current text of a step, as chunks under new ids, with the provider's metadata. */
export const wordsAgain = (own: readonly Part[], newId: () => string, base: Chunk): { spans: Span[]; chunks: Chunk[] } => {
  const spans: Span[] = [];
  const chunks: Chunk[] = [];
  for (const part of own) {
    if (part.type !== 'text' && part.type !== 'reasoning') continue;
    const { type, providerMetadata } = part;
    const [text, id] = [part.type === 'text' ? part.text : part.reasoning, newId()];
    spans.push({ type, id });
    if (text !== '')
      chunks.push(...textChunks({ type, text, ...(providerMetadata && { metadata: { providerMetadata } }) }, id, base));
  }
  return { spans, chunks };
};

/** The chunks to emit again after others were emitted, except for text: everything that was edited, in its current form. */
export const editedAgain = ({ others }: Pick<LateEdits, 'others'>, base: Chunk): Chunk[] =>
  [...others.values()].flatMap((part) => (part ? partChunks(part, base) : []));

const partChunks = (part: Part, base: Chunk): Chunk[] => {
  if (part.type === 'source') return [{ ...base, type: 'source', payload: { ...part.source } }];
  if (part.type !== 'tool-invocation') return [];
  const { toolInvocation, providerExecuted } = part;
  const { toolCallId, toolName, args, ...call } = toolInvocation;
  const payload = { toolCallId, toolName, args, ...(providerExecuted && { providerExecuted }) };
  const chunk = { ...base, type: 'tool-call', payload };
  const isFailed = (call as { state: string }).state === 'output-error'; // see endOf
  if (isFailed) return [chunk, { ...base, type: 'tool-error', payload: { ...payload, error: new Error(String(endOf(call))) } }];
  if (call.state !== 'result') return [chunk];
  return [chunk, { ...base, type: 'tool-result', payload: { ...payload, result: call.result } }];
};
