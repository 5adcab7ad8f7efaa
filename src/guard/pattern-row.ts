import { whenReady, type Awaitable } from '../phase/awaitable.js';
import type { HookCall, HookContext, PhaseRow } from '../phase/row.js';
import { phases } from '../phase/table.js';
import {
  toolOutputChunk,
  toolOutputValue,
  isToolOutputChunk,
  withToolOutput,
  isDropped,
  isKnown,
  isReadRule,
  ruleOf,
} from './stream-fields.js';
import { changeTexts, createPace, finding, paced, replacementChars, replacing, type Steps } from './in-steps.js';
import { mapErrorTexts, mapTexts } from './map-texts.js';
import { patternOf, type Pattern, type Replacement, type TextSpan, type WindowedProcessor } from './pattern.js';
import { readFields } from './read-fields.js';
import type { ChangeText } from './read-file.js';
import { stripQuotedSecrets, type SecretContent } from './secrets.js';
import { fieldsIn } from '../phase/plain-data.js';

type StreamRow = PhaseRow<'outputStream', 'processOutputStream'>;

interface StreamChunk {
  readonly type: string;
  readonly payload?: unknown;
  readonly data?: unknown;
  /** Set if the chunk is one match: the result of `find`. */
  readonly match?: TextSpan;
  /** Set if the chunk is a whole part: the texts that it continues. */
  readonly before?: readonly string[];
  /** Set if it was a whole part that is changed: the replacements in it. */
  readonly replacements?: readonly Replacement[];
  /** The last chunk of arguments that no tool call repeats. */
  readonly isLast?: boolean;
}

const row: StreamRow = phases.outputStream;

/** Minimal length of a value's quotation in a reason: half of the value, but no short word by chance. */
const valueChars = ({ length }: string): number => Math.max(4, Math.ceil(length / 2));
/** The same for a text that may contain blocked content. */
const textChars = 16;

const chunkIn = ({ part }: HookCall<'outputStream', 'processOutputStream'>['data']) => part as StreamChunk; // validated by the row

/** The text of a delta, or of a whole part of the model's text or reasoning. */
const textOf = ({ payload }: StreamChunk): string => String(fieldsIn(payload)['text']);

/** The stream's row for the gate: a processor with a pattern judges matches and whole chunks by its pattern, any other by its hook. */
export const gateRow: StreamRow = {
  ...row,
  skips: (data, processor) => {
    if (row.skips?.(data, processor)) return true;
    return patternOf(processor) !== undefined && !isRead(chunkIn(data));
  },
  invoke: (call: HookCall<'outputStream', 'processOutputStream'>) => {
    const { processor, context } = call;
    const chunk = chunkIn(call.data);
    const pattern = patternOf(processor);
    if (pattern?.callRejection !== undefined && chunk.type === 'tool-call-delta' && !chunk.isLast) return chunk; // the call follows
    if (pattern)
      return whenReady(
        redacted(chunk, {
          pattern,
          messageList: call.data.messageList,
          context: (value) => contextFor(processor, context, { content: value, fromChars: valueChars(value) }),
        }),
        (edited) => (edited === null || edited === chunk ? edited : (rejectedCall(edited, pattern, context) ?? edited)),
      );
    const { text } = fieldsIn(chunk.payload);
    return row.invoke(
      typeof text === 'string'
        ? { ...call, context: contextFor(processor, context, { content: text, fromChars: textChars }) }
        : call,
    );
  },
};

/** The reason of a block omits the matched text, unless the processor includes it. */
const contextFor = (processor: WindowedProcessor, context: HookContext, untold: SecretContent): HookContext =>
  processor.quotesBlocked ? context : withoutSecretsIn(context, untold);

/** Takes the place of a call with edited arguments, if the tool must not act on them. */
export const rejectedCall = (
  { type, payload, ...chunk }: StreamChunk,
  { callRejection }: Pick<Pattern, 'callRejection'>,
  { abort, heedsRulings }: Pick<HookContext, 'abort' | 'heedsRulings'>,
): StreamChunk | undefined => {
  const { toolCallId, toolName, providerExecuted } = fieldsIn(payload);
  if (type !== 'tool-call' || callRejection === undefined || providerExecuted === true) return undefined;
  if (!heedsRulings) return abort(callRejection, { retry: false });
  return { ...chunk, type: 'tool-error', payload: { toolCallId, toolName, args: {}, error: callRejection } };
};

/** Whether a chunk has content for a pattern. */
const isRead = (chunk: StreamChunk): boolean => {
  const { type, payload, match, isLast } = chunk;
  if (match || isLast || isToolOutputChunk(chunk) || isDropped(type) || type.startsWith('data-')) return true;
  return Object.entries(fieldsIn(payload)).some(([name, value]) => value !== undefined && isReadRule(ruleOf(type, name)));
};

/** A pattern, and the arguments of its `replace`. */
interface Replacing {
  readonly pattern: Pattern;
  readonly messageList: HookCall<'outputStream', 'processOutputStream'>['data']['messageList'];
  context(value: string): HookContext;
}

/**
 * Replaces every match in a chunk according to the table of fields. Returns the same object if there is none, null if the chunk is
 * dropped.
 */
const redacted = (chunk: StreamChunk, by: Replacing): Awaitable<StreamChunk | null> => {
  const { match, before, type, isLast } = chunk;
  if (before) return redactedPart(chunk, before, by);
  if (match) {
    const text = textOf(chunk);
    const { match: _match, ...delta } = chunk;
    return {
      ...delta,
      payload: {
        ...fieldsIn(chunk.payload),
        text: by.pattern.replace(text, {
          span: match,
          context: by.context(text),
          messageList: by.messageList,
        }),
      },
    };
  }
  if (isDropped(type)) return null;
  if (isToolOutputChunk(chunk)) return carrying(chunk, by);
  if (type.startsWith('data-'))
    return whenReady(redactedIn(chunk.data, by), (data) => (data === chunk.data ? chunk : { ...chunk, data }));
  const payload = fieldsIn(chunk.payload);
  const map = (_value: unknown, change: ChangeText) => {
    const edited = isLast ? { ...payload, argsTextDelta: change(String(payload['argsTextDelta'])) } : payload;
    return readFields(type, edited, { change });
  };
  return whenReady(redactedIn(payload, by, map), (read) => (read === payload ? chunk : { ...chunk, payload: read }));
};

/** Replaces every match in a part. The new chunk lists its replacements, so that the text between them stays as the model sent it. */
const redactedPart = (chunk: StreamChunk, before: readonly string[], by: Replacing): Awaitable<StreamChunk> => {
  const text = textOf(chunk);
  return whenReady(paced(replacementsIn(text, before, by), createPace()), (replacements) => {
    if (replacements.length === 0) return chunk;
    const { before: _before, ...part } = chunk;
    return { ...part, replacements, payload: { ...fieldsIn(chunk.payload), text: withReplacements(text, replacements) } };
  });
};

/** The replacements of the matches in a part, and of the end of a match that began in a text before it. */
function* replacementsIn(
  text: string,
  before: readonly string[],
  { pattern, messageList, context }: Replacing,
): Steps<Replacement[]> {
  let across: TextSpan | undefined;
  for (const earlier of before) {
    const { length } = earlier;
    const span = (yield* finding(pattern, earlier + text)).find(({ start, end }) => start < length && end > length);
    across ??= span && { ...span, start: 0, end: span.end - length };
  }
  const own = (yield* finding(pattern, text)).filter(({ start }) => start >= (across?.end ?? 0));
  const replacements: Replacement[] = [];
  for (const span of across ? [across, ...own] : own) {
    yield replacementChars;
    const value = text.slice(span.start, span.end);
    const replacement = pattern.replace(value, { span, context: context(value), messageList });
    if (replacement !== value) replacements.push({ start: span.start, end: span.end, text: replacement });
  }
  return replacements;
}

const withReplacements = (text: string, replacements: readonly Replacement[]): string => {
  const pieces = replacements.map((one, index) => text.slice(replacements[index - 1]?.end ?? 0, one.start) + one.text);
  return pieces.join('') + text.slice(replacements.at(-1)?.end ?? 0);
};

/** Replaces every match in the texts of plain data. */
const redactedIn = (value: unknown, by: Replacing, map: typeof mapTexts = mapTexts): Awaitable<unknown> =>
  changeTexts((change) => map(value, change), replacingAll(by));

/** Whether a pattern finds nothing in a chunk's fields. */
export const findsNothing = (pattern: Pattern, { type, payload }: { type: string; payload: object }): Awaitable<boolean> => {
  const pace = createPace();
  const fields = { ...payload };
  const without = changeTexts(
    (change) => readFields(type, fields, { change }),
    (text, label) => paced(replacing(text, { pattern, replace: () => '' }, label), pace),
  );
  return whenReady(without, (edited) => edited === fields);
};

/** Replaces matches in nested content: in another stream's chunk by its fields, in anything else by all of its texts. */
const carrying = (chunk: StreamChunk, by: Replacing): Awaitable<StreamChunk | null> => {
  const inner = toolOutputChunk(chunk);
  const value = inner ?? toolOutputValue(chunk);
  return whenReady(inner ? carriedAs(inner, by) : redactedIn(value, by), (edited) =>
    edited === null ? null : edited === value ? chunk : withToolOutput(chunk, edited),
  );
};

/** A chunk without known fields, such as the end of a step, has the text in its payload, among field names of the stream itself. */
const carriedAs = (inner: StreamChunk, by: Replacing): Awaitable<StreamChunk | null> => {
  if (isToolOutputChunk(inner) || isKnown(inner.type)) return redacted(inner, by);
  return whenReady(redactedIn(inner.payload, by, mapErrorTexts), (payload) =>
    payload === inner.payload ? inner : { ...inner, payload },
  );
};

const replacingAll = ({ pattern, messageList, context }: Replacing): ((text: string, label?: string) => Awaitable<string>) => {
  const pace = createPace();
  const replace = (value: string, span: TextSpan) => pattern.replace(value, { span, context: context(value), messageList });
  return (text, label) => paced(replacing(text, { pattern, replace }, label), pace);
};

/** A hook's context with an `abort` that reveals nothing of a content: neither in its reason nor in its metadata. */
const withoutSecretsIn = (context: HookContext, secret: SecretContent): HookContext => {
  const change = (text: string) => stripQuotedSecrets(text, secret);
  return {
    ...context,
    abort: (reason, options) =>
      context.abort(reason && change(reason), options && { ...options, metadata: mapTexts(options.metadata, change) }),
  };
};
