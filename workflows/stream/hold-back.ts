import type { Processor, ProcessOutputStreamArgs } from '@mastra/core/processors';
import type { ChunkType } from '@mastra/core/stream';

import { changeTexts, createPace, paced, replacing, stepChars, turn } from '../../src/guard/in-steps.js';
import { endForPattern, type Pattern, type TextSpan } from '../../src/guard/pattern.js';
import { rejectedCall } from '../../src/guard/pattern-row.js';
import { readFields } from '../../src/guard/read-fields.js';
import { isDropped, isKnown } from '../../src/guard/stream-fields.js';
import { type Awaitable, whenReady, attempted } from '../../src/phase/awaitable.js';
import { editLeaves } from '../messages/redact-messages.js';

/** The buffered text, and the last chunk that added to it. */
interface PendingPart extends PendingText {
  readonly last: TextChunk;
}

type TextChunk = Extract<ChunkType, { type: 'text-delta' | 'reasoning-delta' }>;
type CallDelta = Extract<ChunkType, { type: 'tool-call-delta' }>;

/** Stored in the processor's state, by the kind and id of a part: plain data. */
interface PendingState {
  texts: Record<string, PendingPart>;
  calls: Record<string, CallDelta>;
}

type Args = ProcessOutputStreamArgs;
type StreamHook = NonNullable<Processor['processOutputStream']>;

/**
 * The stream hook of a pattern guard, for hosts that do not read its `window`: Mastra's own agent. It releases text and reasoning
 * as far as they are judged, each part separately, and the arguments of a call when they are complete. Other chunks between the
 * deltas of a text are not delayed.
 */
export const holdBack =
  <Span extends TextSpan>(pattern: Pattern<Span>): StreamHook =>
  async (args) => {
    const { part, state } = args;
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') return push(pattern, args, part);
    if (part.type === 'text-end') return flush(pattern, { args, key: `text-delta ${part.payload.id}` });
    if (part.type === 'reasoning-end') return flush(pattern, { args, key: `reasoning-delta ${part.payload.id}` });
    if (part.type === 'tool-call-delta') return gatherCall(pendingIn(state), part);
    if (part.type === 'tool-call-input-streaming-end' || part.type === 'tool-call')
      return release(args, await callBefore(pattern, { args, id: part.payload.toolCallId }), () => editedCall(pattern, args));
    if (part.type === 'step-finish' || part.type === 'finish') {
      const [key] = Object.keys(pendingIn(state).texts);
      return key === undefined ? part : flush(pattern, { args, key });
    }
    if (part.type === 'step-start') state[stateKey] = undefined; // the state of an earlier attempt
    return readWhole(pattern, args);
  };

/** Reads any other chunk, by the table of fields. */
const readWhole = async <Span extends TextSpan>(pattern: Pattern<Span>, args: Args): Promise<ChunkType | null> => {
  const part = args.part as { type: string; payload?: unknown; data?: unknown };
  if (isDropped(part.type)) return null;
  if (!isKnown(part.type)) return args.part;
  const edit = editWith(pattern, args);
  if (part.type.startsWith('data-')) {
    const data = await editLeaves(part.data, edit);
    return data === part.data ? args.part : ({ ...part, data } as ChunkType); // of the same shape
  }
  const before = (part.payload ?? {}) as Record<string, unknown>;
  const payload = await changeTexts((change) => readFields(part.type, before, { change }), edit);
  return payload === before ? args.part : ({ ...part, payload } as ChunkType); // of the same shape
};

const stateKey = 'heldBack';
/** Mastra passes the part under this name to the processors again, after the returned one. */
const nextPartKey = '__mastraReprocessPart';

const pendingIn = (state: Record<string, unknown>): PendingState =>
  (state[stateKey] ??= { texts: {}, calls: {} }) as PendingState; // only this file writes it

const replaceWith =
  <Span extends TextSpan>(pattern: Pattern<Span>, context: Args) =>
  (value: string, span: Span): string =>
    pattern.replace(value, { span, context, messageList: context.messageList });

/** A long delta is read in pieces; the output is the same. */
const push = async <Span extends TextSpan>(pattern: Pattern<Span>, args: Args, part: TextChunk): Promise<ChunkType | null> => {
  const { texts } = pendingIn(args.state);
  const key = `${part.type} ${part.payload.id}`;
  const { text } = part.payload;
  const emitted: string[] = [];
  for (let at = 0; at < text.length; at += stepChars) {
    if (at > 0) await turn();
    const piece = text.slice(at, at + stepChars);
    const { released, held: pending } = pushText(texts[key] ?? nothingPending, piece, {
      pattern,
      replace: replaceWith(pattern, args),
    });
    texts[key] = { ...pending, last: part };
    emitted.push(released);
  }
  const released = emitted.join('');
  return released ? withText(part, released) : null;
};

/** Releases the buffered text, and then the chunk that ends it. */
const flush = <Span extends TextSpan>(
  pattern: Pattern<Span>,
  { args, key }: { args: Args; key: string },
): Awaitable<ChunkType> => {
  const { texts } = pendingIn(args.state);
  const pending = texts[key];
  if (!pending) return args.part;
  delete texts[key];
  const editing = { pattern, replace: replaceWith(pattern, args) };
  const rest = pending.from === 0 ? paced(replacing(pending.text, editing), createPace()) : flushText(pending, editing);
  return whenReady(rest, (text) => release(args, text ? withText(pending.last, text) : undefined, () => args.part));
};

/** Returns one chunk. If two must leave, the second is set aside. */
const release = ({ state, part }: Args, first: ChunkType | undefined, then: () => Awaitable<ChunkType>): Awaitable<ChunkType> => {
  if (!first) return then();
  state[nextPartKey] = part;
  return first;
};

const withText = (part: TextChunk, text: string): ChunkType =>
  text === part.payload.text ? part : { ...part, payload: { ...part.payload, text } };

const gatherCall = ({ calls }: PendingState, part: CallDelta): null => {
  const before = calls[part.payload.toolCallId];
  const argsTextDelta = (before?.payload.argsTextDelta ?? '') + part.payload.argsTextDelta;
  calls[part.payload.toolCallId] = { ...part, payload: { ...part.payload, argsTextDelta } };
  return null;
};

/** The streamed arguments as one text. Text that is not JSON is judged unchanged. */
const callBefore = async <Span extends TextSpan>(
  pattern: Pattern<Span>,
  { args, id }: { args: Args; id: string },
): Promise<ChunkType | undefined> => {
  const { calls } = pendingIn(args.state);
  const call = calls[id];
  if (!call) return undefined;
  delete calls[id];
  const { argsTextDelta } = call.payload;
  return { ...call, payload: { ...call.payload, argsTextDelta: await editedJson(pattern, args, argsTextDelta) } };
};

const editedJson = async <Span extends TextSpan>(pattern: Pattern<Span>, args: Args, text: string): Promise<string> => {
  const value = attempted((): unknown => JSON.parse(text)); // undefined if it is no JSON
  if (value === undefined) return editWith(pattern, args)(text);
  const edited = await editLeaves(value, editWith(pattern, args));
  return edited === value ? text : JSON.stringify(edited);
};

const editedCall = async <Span extends TextSpan>(pattern: Pattern<Span>, args: Args): Promise<ChunkType> => {
  const { part } = args;
  if (part.type !== 'tool-call') return part;
  const edited = (await editLeaves(part.payload.args, editWith(pattern, args))) as typeof part.payload.args; // of the same shape
  if (edited === part.payload.args) return part;
  const rejected = rejectedCall(part, pattern, args) as ChunkType | undefined; // of the same stream
  return rejected ?? { ...part, payload: { ...part.payload, args: edited } };
};

const editWith = <Span extends TextSpan>(
  pattern: Pattern<Span>,
  args: Args,
): ((text: string, label?: string) => Awaitable<string>) => {
  const pace = createPace();
  return (text, label) => paced(replacing(text, { pattern, replace: replaceWith(pattern, args) }, label), pace);
};

/** The end of a text that is still growing: plain data, so that it can be stored in a processor's state. */
interface PendingText {
  /** A few released characters, which decide about the next ones, and then the buffered ones. */
  readonly text: string;
  /** The start of the buffered characters. */
  readonly from: number;
  /** The last match, if nothing was released after it. */
  readonly match?: TextSpan | undefined;
}

export const nothingPending: PendingText = { text: '', from: 0 };

/** The place-finding part of a pattern. */
type Places<Span extends TextSpan> = Omit<Pattern<Span>, 'replace'>;

/** Returns the replacement of a value. */
type Replace<Span extends TextSpan> = (value: string, span: Span) => string;

/**
 * Adds a piece to a text. It releases text that can no longer be, or become, part of a value, with values replaced. The
 * joined output is the same however the text was cut.
 */
export const pushText = <Span extends TextSpan>(
  pending: PendingText,
  piece: string,
  { pattern, replace }: { pattern: Places<Span>; replace: Replace<Span> },
) => {
  const grown = { ...pending, text: pending.text + piece };
  const { text, from } = grown;
  const { released, end, match } = editText(grown, openOf(pattern, text, from), { pattern, replace });
  if (end === from) return { released, held: grown };
  const kept = endForPattern(text.slice(0, end), (pattern.lookbehind ?? 1) + 1, pattern); // one more, because it may be half a character
  return { released, held: { text: kept + text.slice(end), from: kept.length, match } };
};

/** Releases the buffered text at the end of a text. */
export const flushText = <Span extends TextSpan>(
  pending: PendingText,
  editing: { pattern: Places<Span>; replace: Replace<Span> },
): string => editText(pending, pending.text.length, editing).released;

const openOf = <Span extends TextSpan>(pattern: Places<Span>, text: string, from: number): number => {
  if (pattern.open) return pattern.open(text, from);
  if (pattern.maxLength === 'part') return from;
  return Math.max(from, text.length - pattern.maxLength - (pattern.lookahead ?? 1) + 1);
};

const editText = <Span extends TextSpan>(
  { text, from, match }: PendingText,
  until: number,
  { pattern, replace }: { pattern: Places<Span>; replace: Replace<Span> },
): { readonly released: string; readonly end: number; readonly match: TextSpan | undefined } => {
  const edited: string[] = [];
  let [at, last] = [from, match];
  /** The rest of a match, up to where another one may begin. */
  const restOf = (span: TextSpan): Span | undefined => {
    const rest = pattern.rest?.(text, at, span);
    return rest && { ...rest, end: Math.min(rest.end, until) };
  };
  const edit = (found: Span | undefined): void => {
    if (!found || found.end <= at) return;
    const span = found.start < at ? { ...found, start: at } : found;
    edited.push(text.slice(at, span.start), replace(text.slice(span.start, span.end), span));
    [at, last] = [span.end, span];
    edit(restOf(span));
  };
  if (match) edit(restOf(match));
  for (const span of until > from ? pattern.find(text, from, until) : []) if (span.start < until) edit(span);
  const end = Math.max(at, until);
  edited.push(text.slice(at, end));
  return { released: edited.join(''), end, match: at === end ? last : undefined };
};
