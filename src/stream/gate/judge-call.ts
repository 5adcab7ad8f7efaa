import { InterlockError } from '../../errors.js';
import { whenReady, type Awaitable } from '../../phase/awaitable.js';
import { argumentsText, type Chunk } from './chunk.js';

/** A tool call, and the chunks that streamed its arguments. */
interface StreamedCall {
  /** Nothing where the call never came. */
  readonly call: Chunk | undefined;
  readonly told: readonly Chunk[];
}

/** The guards that judge it. */
interface CallJudge {
  /** Judges one chunk: what the guards leave of it, null where they drop it, nothing where they stop the stream. */
  judge(chunk: Chunk): Awaitable<Chunk | null | undefined>;
  /** Stops the stream because of what a guard made of the call. */
  refuse(error: InterlockError): void;
}

/**
 * Judges a tool call as one value: first the chunks that announced it, with its arguments as one delta, then the call itself. The
 * announcement and the call that leave hold the same arguments: where a guard edits one, the other follows.
 *
 * Refuses with `release/invalid-arguments` what a guard made of the arguments' text that is no JSON.
 */
export const judgeCall = (asked: StreamedCall, by: CallJudge): Awaitable<readonly Chunk[]> =>
  whenReady(judgeAround(asked, by), (told) => (told ? judgeArguments({ ...asked, told }, by) : []));

/** Judges the announcing chunks without arguments, where they hold more than the call does. Undefined where the stream is stopped. */
const judgeAround = ({ call, told }: StreamedCall, by: CallJudge): Awaitable<readonly Chunk[] | undefined> => {
  const [first, ...rest] = told;
  if (!first) return [];
  return whenReady(isDelta(first) || !saysMore(first, call) ? first : by.judge(first), (left) => {
    if (left === undefined) return undefined;
    return whenReady(judgeAround({ call, told: rest }, by), (others) => others && [...(left ? [left] : []), ...others]);
  });
};

/** Whether a chunk holds anything besides the call's id. The tool's name is judged with the call if one follows, see `named`. */
const saysMore = ({ payload }: Chunk, call: Chunk | undefined): boolean =>
  Object.entries((payload as object | undefined) ?? {}).some(
    ([name, value]: [string, unknown]) =>
      name !== 'toolCallId' && !(call && name === 'toolName') && value !== undefined && typeof value !== 'boolean',
  );

const judgeArguments = ({ call, told: given }: StreamedCall, by: CallJudge): Awaitable<readonly Chunk[]> => {
  const args = call && argsOf(call); // undefined if the arguments are not JSON
  const delta = oneDelta(given, args);
  const before = delta && argumentsText(delta); // a hook may write into it
  return whenReady(delta ? by.judge(args === undefined ? { ...delta, isLast: true } : delta) : null, (left) => {
    if (left === undefined) return [];
    const text = left ? argumentsText(left) : undefined;
    const told = left ? withDelta(given, left) : given;
    if (!call) return assembled(told, text);
    if (text === undefined || text === before || args === undefined) return judgeWhole({ call, told, text }, by);
    const edited = withArguments(call, text);
    if (edited instanceof InterlockError) by.refuse(edited);
    return edited instanceof InterlockError ? [] : judgeWhole({ call: edited, told, text }, by);
  });
};

/** The announcing chunks with their deltas replaced by the one that the guards left. */
const withDelta = (told: readonly Chunk[], left: Chunk): readonly Chunk[] => {
  const first = told.find(isDelta);
  const { isLast: _isLast, ...delta } = left;
  return told.flatMap((chunk) => (chunk === first ? [delta as Chunk] : isDelta(chunk) ? [] : [chunk]));
};

interface JudgedText {
  readonly call: Chunk;
  readonly told: readonly Chunk[];
  /** The arguments as they may be emitted; undefined if they may not. */
  readonly text: string | undefined;
}

const judgeWhole = ({ call, told, text }: JudgedText, { judge }: CallJudge): Awaitable<readonly Chunk[]> => {
  const before = text === undefined ? undefined : JSON.stringify(argsOf(call)); // a hook may write into them
  return whenReady(judge(call), (left) => {
    if (!left) return [];
    if (left.type !== 'tool-call') return [left]; // the guard answered the call itself
    const after = text === undefined ? undefined : JSON.stringify(argsOf(left));
    return [...assembled(named(told, left), before === after ? text : after), left];
  });
};

/** The streamed chunks of a call, with the tool name as guards left it. */
const named = (told: readonly Chunk[], { payload }: Chunk): readonly Chunk[] => {
  const { toolName } = payload as { toolName?: unknown };
  return told.map((chunk) => {
    const own = chunk.payload as { toolName?: unknown } | undefined;
    return own?.toolName === undefined || own.toolName === toolName ? chunk : { ...chunk, payload: { ...own, toolName } };
  });
};

const argsOf = ({ payload }: Chunk): unknown => (payload as { args?: unknown }).args;

const isDelta = ({ type }: Chunk): boolean => type === 'tool-call-delta';

/** All deltas of a call as one. */
const oneDelta = (told: readonly Chunk[], args: unknown): Chunk | undefined => {
  const deltas = told.filter(isDelta);
  const [first] = deltas;
  return first && withDeltas(first, withTextOnly(args, deltas.map(argumentsText).join('')));
};

/** A text as it came where it says its arguments and nothing else: a key may be there twice, and not every host reads JSON strictly. */
const withTextOnly = (args: unknown, text: string): string => {
  const json = JSON.stringify(args);
  return json === undefined || json === text.replaceAll(blanks, '$<text>') ? text : json;
};
const blanks = /(?<text>"(?:[^"\\]|\\.)*")|\s+/g;

const withDeltas = (delta: Chunk, argsTextDelta: string): Chunk => ({
  ...delta,
  payload: { ...(delta.payload as object), argsTextDelta },
});

/** The streamed chunks of a call, with its arguments as one delta. */
const assembled = (told: readonly Chunk[], text: string | undefined): readonly Chunk[] => {
  const first = told.find(isDelta);
  return told.flatMap((chunk) => {
    if (!isDelta(chunk)) return [chunk];
    return chunk === first && text !== undefined ? [withDeltas(chunk, text)] : [];
  });
};

const withArguments = (call: Chunk, text: string): Chunk | InterlockError => {
  try {
    return { ...call, payload: { ...(call.payload as object), args: JSON.parse(text) as unknown } };
  } catch (cause) {
    return new InterlockError('release/invalid-arguments', { path: 'outputStream.part.payload.argsTextDelta', cause });
  }
};
