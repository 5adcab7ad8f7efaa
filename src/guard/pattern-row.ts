import type { Processor } from '@mastra/core/processors';
import { whenReady, type Awaitable } from '../phase/awaitable.js';
import type { HookCall, HookContext, PhaseRow } from '../phase/row.js';
import { phases } from '../phase/table.js';
import { toolOutputChunk, toolOutputValue, isToolOutputChunk, withToolOutput } from './tool-output-chunk.js';
import { changeTexts, createPace, paced, replacing } from './in-steps.js';
import { mapSaid, mapTexts } from './map-texts.js';
import type { Pattern, TextSpan, WindowedProcessor } from './pattern.js';
import { readFields } from './read-fields.js';
import { isDropped, isKnown, isReadRule, ruleOf } from './stream-fields.js';
import { withoutSecretsIn, type SecretContent } from './strip-quoted-secrets.js';

type StreamRow = PhaseRow<'outputStream', 'processOutputStream'>;

interface StreamChunk {
  readonly type: string;
  readonly payload?: unknown;
  readonly data?: unknown;
  /** Where the chunk is one match: what `find` said about it. */
  readonly match?: TextSpan;
  /** The last chunk of arguments that no tool call repeats. */
  readonly isLast?: boolean;
}

const row: StreamRow = phases.outputStream;

/** From how many characters in a row on a reason quotes a value: half of it, and no short word by chance. */
const valueChars = ({ length }: string): number => Math.max(4, Math.ceil(length / 2));
/** The same for a text that may hold what is blocked. */
const textChars = 16;

/** The pattern that a processor says it goes by. */
export const patternOf = (processor: Processor): Pattern | undefined => {
  const { window }: WindowedProcessor = processor;
  return typeof window === 'object' && 'pattern' in window ? window.pattern : undefined;
};

/**
 * The row of the stream as the gate uses it: a processor with a pattern is asked about matches and about whole chunks by its
 * pattern, any other by its hook.
 */
export const gateRow: StreamRow = {
  ...row,
  skips: (data, processor) => {
    if (row.skips?.(data, processor)) return true;
    const chunk = data.part as StreamChunk; // checked by the row
    return patternOf(processor) !== undefined && !isRead(chunk);
  },
  invoke: (call: HookCall<'outputStream', 'processOutputStream'>) => {
    const { processor, context } = call;
    const chunk = call.data.part as StreamChunk; // as above
    const pattern = patternOf(processor);
    if (pattern)
      return redacted(chunk, {
        pattern,
        messageList: call.data.messageList,
        context: (value) => contextFor(processor, context, { content: value, fromChars: valueChars(value) }),
      });
    const { text } = (chunk.payload ?? {}) as { text?: unknown };
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

/** Whether a pattern has anything to read in a chunk. */
const isRead = (chunk: StreamChunk): boolean => {
  const { type, payload, match, isLast } = chunk;
  if (match || isLast || isToolOutputChunk(chunk) || isDropped(type) || type.startsWith('data-')) return true;
  const fields = Object.entries((payload as object | undefined) ?? {});
  return fields.some(([name, value]: [string, unknown]) => value !== undefined && isReadRule(ruleOf(type, name)));
};

/** A pattern, and what its `replace` is handed for a value. */
interface Replacing {
  readonly pattern: Pattern;
  readonly messageList: HookCall<'outputStream', 'processOutputStream'>['data']['messageList'];
  context(value: string): HookContext;
}

/** A chunk with every match in it replaced, as the table of fields says; the same object where there is none, null where it is left out. */
const redacted = (chunk: StreamChunk, by: Replacing): Awaitable<StreamChunk | null> => {
  const { match, type, isLast } = chunk;
  if (match) {
    const { text } = chunk.payload as { text: string };
    const { match: _match, ...delta } = chunk;
    return {
      ...delta,
      payload: {
        ...(chunk.payload as object),
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
  const payload = (chunk.payload ?? {}) as Record<string, unknown>;
  const map = (_value: unknown, change: (text: string) => string) => {
    const given = isLast ? { ...payload, argsTextDelta: change(String(payload['argsTextDelta'])) } : payload;
    return readFields(type, given, { change });
  };
  return whenReady(redactedIn(payload, by, map), (read) => (read === payload ? chunk : { ...chunk, payload: read }));
};

/** Plain data with every match in its texts replaced. */
const redactedIn = (value: unknown, by: Replacing, map: typeof mapTexts = mapTexts): Awaitable<unknown> =>
  changeTexts((change) => map(value, change), replacingAll(by));

/** Whether a pattern finds nothing in a chunk's fields. */
export const findsNothing = (pattern: Pattern, { type, payload }: { type: string; payload: object }): Awaitable<boolean> => {
  const pace = createPace();
  const fields = { ...payload };
  const without = changeTexts(
    (change) => readFields(type, fields, { change }),
    (text) => paced(replacing(text, { pattern, replace: () => '' }), pace),
  );
  return whenReady(without, (left) => left === fields);
};

/** What comes from elsewhere: another stream's chunk by what it says, anything else by all of its texts. */
const carrying = (chunk: StreamChunk, by: Replacing): Awaitable<StreamChunk | null> => {
  const inner = toolOutputChunk(chunk);
  const value = inner ?? toolOutputValue(chunk);
  return whenReady(inner ? carriedAs(inner, by) : redactedIn(value, by), (left) =>
    left === null ? null : left === value ? chunk : withToolOutput(chunk, left),
  );
};

/** A chunk that no field is known of, such as the end of a step, tells in its payload what was said, among names that are the stream's own. */
const carriedAs = (inner: StreamChunk, by: Replacing): Awaitable<StreamChunk | null> => {
  if (isToolOutputChunk(inner) || isKnown(inner.type)) return redacted(inner, by);
  return whenReady(redactedIn(inner.payload, by, mapSaid), (payload) =>
    payload === inner.payload ? inner : { ...inner, payload },
  );
};

const replacingAll = ({ pattern, messageList, context }: Replacing): ((text: string) => Awaitable<string>) => {
  const pace = createPace();
  const replace = (value: string, span: TextSpan) => pattern.replace(value, { span, context: context(value), messageList });
  return (text) => paced(replacing(text, { pattern, replace }), pace);
};
