import { InterlockError } from '../../errors.js';
import { whenReady, type Awaitable } from '../../phase/awaitable.js';
import { argumentsText, type Chunk } from './chunk.js';
import { fieldsIn } from '../../phase/plain-data.js';

/** A tool call, and the chunks that streamed its arguments. */
interface StreamedCall {
  /** Undefined if the call never came. */
  readonly call: Chunk | undefined;
  readonly deltas: readonly Chunk[];
}

/** The guards that judge it. */
interface CallJudge {
  /** Judges one chunk. Returns the guards' version, null if they drop it, undefined if they stop the stream. */
  judge(chunk: Chunk): Awaitable<Chunk | null | undefined>;
  /** Stops the stream because of an invalid edit of the call. */
  reject(error: InterlockError): void;
}

/**
 * Judges a tool call as one value: first the chunks that announced it, with its arguments as one delta, then the call itself. The emitted
 * announcement and call hold the same arguments: if a guard edits one, the other follows.
 *
 * Raises `release/invalid-arguments` if a guard's edit of the arguments' text is not JSON.
 */
export const judgeCall = (streamed: StreamedCall, by: CallJudge): Awaitable<readonly Chunk[]> =>
  whenReady(judgeAround(streamed, by), (deltas) => (deltas ? judgeArguments({ ...streamed, deltas }, by) : []));

/** Judges the announcing chunks without arguments, if they hold more than the call does. Undefined if the stream is stopped. */
const judgeAround = ({ call, deltas }: StreamedCall, by: CallJudge): Awaitable<readonly Chunk[] | undefined> => {
  const [first, ...rest] = deltas;
  if (!first) return [];
  return whenReady(isDelta(first) || !hasMoreFields(first, call) ? first : by.judge(first), (judged) => {
    if (judged === undefined) return undefined;
    return whenReady(judgeAround({ call, deltas: rest }, by), (others) => others && [...(judged ? [judged] : []), ...others]);
  });
};

/** Whether a chunk holds anything besides the call's id. The tool's name is judged with the call if one follows, see `named`. */
const hasMoreFields = ({ payload }: Chunk, call: Chunk | undefined): boolean =>
  Object.entries(fieldsIn(payload)).some(
    ([name, value]) =>
      name !== 'toolCallId' && !(call && name === 'toolName') && value !== undefined && typeof value !== 'boolean',
  );

const judgeArguments = ({ call, deltas: streamedDeltas }: StreamedCall, by: CallJudge): Awaitable<readonly Chunk[]> => {
  const args = call && argsOf(call); // undefined if the arguments are not JSON
  const delta = oneDelta(streamedDeltas, args);
  const before = delta && argumentsText(delta); // a hook may change it in place
  return whenReady(delta ? by.judge(args === undefined ? { ...delta, isLast: true } : delta) : null, (judged) => {
    if (judged === undefined) return [];
    const text = judged ? argumentsText(judged) : undefined;
    const deltas = judged ? withDelta(streamedDeltas, judged) : streamedDeltas;
    if (!call) return assembled(deltas, text);
    if (text === undefined || text === before || args === undefined) return judgeWhole({ call, deltas, text }, by);
    const edited = withArguments(call, text);
    if (edited instanceof InterlockError) by.reject(edited);
    return edited instanceof InterlockError ? [] : judgeWhole({ call: edited, deltas, text }, by);
  });
};

/** The announcing chunks, with the guards' version in place of their deltas. */
const withDelta = (deltas: readonly Chunk[], judged: Chunk): readonly Chunk[] => {
  const first = deltas.find(isDelta);
  const { isLast: _isLast, ...delta } = judged;
  return deltas.flatMap((chunk) => (chunk === first ? [delta as Chunk] : isDelta(chunk) ? [] : [chunk]));
};

interface JudgedText {
  readonly call: Chunk;
  readonly deltas: readonly Chunk[];
  /** The arguments as they may be emitted; undefined if they may not. */
  readonly text: string | undefined;
}

const judgeWhole = ({ call, deltas, text }: JudgedText, { judge }: CallJudge): Awaitable<readonly Chunk[]> => {
  const before = text === undefined ? undefined : JSON.stringify(argsOf(call)); // a hook may change them in place
  return whenReady(judge(call), (judged) => {
    if (!judged) return [];
    if (judged.type !== 'tool-call') return [judged]; // the guard replaced the call with its outcome
    const after = text === undefined ? undefined : JSON.stringify(argsOf(judged));
    return [...assembled(named(deltas, judged), before === after ? text : after), judged];
  });
};

/** The streamed chunks of a call, with the guards' version of the tool name. */
const named = (deltas: readonly Chunk[], { payload }: Chunk): readonly Chunk[] => {
  const { toolName } = fieldsIn(payload);
  return deltas.map((chunk) => {
    const own = fieldsIn(chunk.payload);
    return own['toolName'] === undefined || own['toolName'] === toolName ? chunk : { ...chunk, payload: { ...own, toolName } };
  });
};

const argsOf = ({ payload }: Chunk): unknown => fieldsIn(payload)['args'];

const isDelta = ({ type }: Chunk): boolean => type === 'tool-call-delta';

/** All deltas of a call as one. */
const oneDelta = (judgedChunks: readonly Chunk[], args: unknown): Chunk | undefined => {
  const deltas = judgedChunks.filter(isDelta);
  const [first] = deltas;
  return first && withDeltas(first, withTextOnly(args, deltas.map(argumentsText).join('')));
};

/**
 * The original text if it contains only its arguments, otherwise their JSON: a key may occur twice, and not every host reads JSON
 * strictly.
 */
const withTextOnly = (args: unknown, text: string): string => {
  const json = JSON.stringify(args);
  return json === undefined || json === text.replaceAll(blanks, '$<text>') ? text : json;
};
const blanks = /(?<text>"(?:[^"\\]|\\.)*")|\s+/g;

const withDeltas = (delta: Chunk, argsTextDelta: string): Chunk => ({
  ...delta,
  payload: { ...fieldsIn(delta.payload), argsTextDelta },
});

/** The streamed chunks of a call, with its arguments as one delta. */
const assembled = (deltas: readonly Chunk[], text: string | undefined): readonly Chunk[] => {
  const first = deltas.find(isDelta);
  return deltas.flatMap((chunk) => {
    if (!isDelta(chunk)) return [chunk];
    return chunk === first && text !== undefined ? [withDeltas(chunk, text)] : [];
  });
};

const withArguments = (call: Chunk, text: string): Chunk | InterlockError => {
  try {
    return { ...call, payload: { ...fieldsIn(call.payload), args: JSON.parse(text) as unknown } };
  } catch (cause) {
    return new InterlockError('release/invalid-arguments', { path: 'outputStream.part.payload.argsTextDelta', cause });
  }
};
