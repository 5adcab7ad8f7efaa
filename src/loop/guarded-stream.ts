import { withoutQuotations } from '../guard/read-fields.js';
import { repeatsText, toolOutputValue, withToolOutput } from '../guard/stream-fields.js';
import { whenReady, type Awaitable } from '../phase/awaitable.js';
import { fieldsIn, definedFields, isSame } from '../phase/plain-data.js';
import type { PhaseData } from '../phase/row.js';
import type { Plan } from '../pipeline/graph.js';
import { planStream } from '../pipeline/stream-plan.js';
import type { EarlierText } from '../stream/gate/matcher.js';
import { createStreamGate, type StreamGateOptions } from '../stream/gate/stream-gate.js';
import type { Verdict } from '../verdict.js';
import { withoutFallen } from './fallen-stand-ins.js';
import { addChunk, findToolPart } from './response.js';
import { isGuarded, stopWith, streamPayload, mostFollowing, takeReprocessed } from './judge.js';
import type { Outcome } from './activity.js';
import type { Chunk } from './ports.js';
import { emit } from './emit.js';
import { changeAttempt, currentAttempt, type Attempt, type Run } from './run.js';
import { chunkIn, argumentsOf } from '../stream/gate/chunk.js';
import { type ProviderResult, type ToolCall, setCall, type CallRuling, type StepCalls } from './tool-call.js';

/** Passes chunks through the guards to the reader. It waits only if it must. */
export interface GuardedStream {
  /** Processes a chunk, and those that guards set aside to follow it. Returns an outcome if the guards stop on one. */
  process(chunk: Chunk): Awaitable<Outcome | undefined | void>;
  /** Sets the function to call once a guard that is still running stops the stream. Only with windows, as the rest. */
  onStop?(listener: () => void): void;
  /** Whether a guard has stopped the stream. */
  readonly isStopped?: boolean;
  /** Emits all buffered chunks. Returns an outcome if the guards stop on it. */
  end(): Awaitable<Outcome | undefined>;
  /** Waits for the guards that are running. Returns an outcome if they stop the stream. */
  settled?(): Awaitable<Outcome | undefined>;
  /** Releases the stream after the call, whatever its outcome. */
  close?(): void;
}

type Processed = ReturnType<GuardedStream['process']>;
/** Continues after a processed chunk. */
type Continue = (outcome: Awaited<Processed>) => Processed;

/** A guarded stream without the chunks that guards set aside. */
interface BareStream extends GuardedStream {
  /** `next` runs in the same turn as the guards' verdict: another promise for each chunk would take longer than a guard. */
  process(chunk: Chunk, next?: Continue): Processed;
}

/** Receives the guards' version of a chunk. */
type Take = (chunk: Chunk) => Promise<void> | undefined;

/** Opens the stream for one model call. */
export const openGuardedStream = (run: Run): GuardedStream =>
  guardedStreamTo(
    run,
    (chunk) => takeResponse(run, chunk),
    () => earlierTextsOf(run),
  );

/**
 * Opens the stream for the output of one tool run. Its text, and that of a sub-agent, is buffered like the model's, by a gate of its own.
 * `onChunk` is called with each emitted chunk.
 */
export const openToolStream = (run: Run, onChunk?: (chunk: Chunk) => void): GuardedStream => {
  const { take, expect, flush } = inPieces((chunk) => {
    onChunk?.(chunk);
    return emit(run, chunk);
  });
  const guardedStream = guardedStreamTo(run, take);
  const { process, end } = guardedStream;
  return Object.assign(guardedStream, {
    process: (chunk: Chunk) => process(expect(chunk)),
    end: () => whenReady(end(), (outcome) => whenReady(flush(), () => outcome)),
  });
};

/** Texts that a tool writes are emitted as it wrote them, however guards cut them: each may be a message of its own. Edits change that. */
const inPieces = (take: Take) => {
  const written: string[] = [];
  let cleared: Chunk | undefined;
  const textIn = (chunk: Chunk | undefined): string => {
    const text = chunk?.type === 'tool-output' ? toolOutputValue(chunk) : undefined;
    return typeof text === 'string' ? text : '';
  };
  const flush = (): ReturnType<Take> => {
    const rest = cleared;
    cleared = undefined;
    return rest && take(rest);
  };
  const takeText = async (chunk: Chunk): Promise<void> => {
    let text = textIn(cleared) + textIn(chunk);
    for (let piece = written[0]; piece !== undefined && text.startsWith(piece); [piece] = written) {
      await take(withToolOutput(chunk, written.shift()));
      text = text.slice(piece.length);
    }
    cleared = text === '' ? undefined : withToolOutput(chunk, text);
    if (written[0]?.startsWith(text)) return;
    written.length = 0;
    await flush();
  };
  return {
    flush,
    expect: (chunk: Chunk): Chunk => {
      if (textIn(chunk) !== '') written.push(textIn(chunk));
      return chunk;
    },
    take: (chunk: Chunk) => (textIn(chunk) === '' ? (flush()?.then(() => take(chunk)) ?? take(chunk)) : takeText(chunk)),
  };
};

/** The text of the accepted steps, also of those from the host's earlier runs. */
const earlierTextsOf = ({ scope, state: { list } }: Run): readonly EarlierText[] =>
  scope.host.messages
    .read(list, 'response')
    .flatMap(({ role, content }) => (role === 'assistant' ? content.parts : []))
    .flatMap((part): EarlierText[] => {
      if (part.type === 'text') return [{ kind: 'text-delta', text: part.text }];
      return part.type === 'reasoning' ? [{ kind: 'reasoning-delta', text: part.reasoning }] : [];
    });

const guardedStreamTo = (run: Run, take: Take, earlierTexts?: () => readonly EarlierText[]): GuardedStream => {
  const plan = isGuarded(run, 'outputStream') ? run.options.lanes.output : undefined;
  const stream = plan && planStream(plan.graph, run.options.window);
  const guardedStream = stream
    ? gatedStream(run, { release: take, earlierTexts, segments: stream.stretches })
    : directStream(run, take, plan);
  return plan ? withReprocessed(run, guardedStream) : guardedStream;
};

/** Also processes chunks that a processor set aside, because it can return only one; one that judges a window may set it aside later. */
const withReprocessed = (run: Run, guardedStream: BareStream): GuardedStream => {
  const { process, end } = guardedStream;
  const following = (remaining: number): Processed => {
    const next = remaining > 0 ? takeReprocessed(run) : undefined;
    return next && process(next, (outcome) => outcome ?? following(remaining - 1));
  };
  const followFirst: Continue = (outcome) => outcome ?? following(mostFollowing);
  const endFollowing = (remaining: number): Awaitable<Outcome | undefined> =>
    whenReady(end(), (outcome) => {
      const next = outcome || remaining === 0 ? undefined : takeReprocessed(run);
      if (!next) return outcome;
      return whenReady(process(next), (stop) => stop || endFollowing(remaining - 1));
    });
  return Object.assign(guardedStream, {
    process: (chunk: Chunk) => process(chunk, followFirst),
    end: () => endFollowing(mostFollowing),
  });
};

/** Without windows, each chunk is judged and emitted before the next one is requested. */
const directStream = (run: Run, take: Take, plan: Plan | undefined): BareStream => {
  const settle = (verdict: Verdict<StreamData>, data: StreamData): Processed => {
    if (verdict.kind !== 'pass' && verdict.kind !== 'edit') return stopWith(run, verdict);
    if (run.state.stop) return stopWith(run, run.state.stop); // a guard stopped on a data part that another guard wrote
    const remaining = chunkIn(verdict.kind === 'edit' ? verdict.data : data);
    return remaining ? take(remaining) : undefined;
  };
  return {
    process: (chunk, next = same) => {
      if (run.options.lanes.output && repeatsText(chunk)) return next(undefined);
      if (!plan) return run.state.stop ? stopWith(run, run.state.stop) : take(chunk);
      const data = streamPayload(run, chunk);
      return whenReady(plan.run('outputStream', data, run.scope), (verdict) => whenReady(settle(verdict, data), next));
    },
    end: () => undefined,
  };
};

const same: Continue = (outcome) => outcome;

type StreamData = PhaseData<'outputStream'>;

/** With windows, the gate buffers the text that guards have not cleared. */
const gatedStream = (run: Run, options: Pick<StreamGateOptions, 'segments' | 'release' | 'earlierTexts'>): BareStream => {
  const gate = createStreamGate({
    ...options,
    scope: run.scope,
    payloadOf: (part) => streamPayload(run, part),
    maxHeldChars: run.options.maxHeldChars,
  });
  const stopped = (): Outcome | undefined => {
    const stop = gate.stopped ?? run.state.stop;
    return stop && stopWith(run, stop);
  };
  return {
    process: (chunk, next = same) => (repeatsText(chunk) ? next(undefined) : whenReady(gate.push(chunk), () => next(stopped()))),
    onStop: gate.onStop,
    get isStopped() {
      return gate.stopped !== undefined;
    },
    end: () => (gate.stopped ? stopped() : whenReady(gate.idle(), stopped)),
    settled: () => gate.settled().then(stopped),
    close: () => gate.close(),
  };
};

/** Adds the guards' version of a chunk to the response and emits it. The loop itself reports the end of a call. */
const takeResponse = (run: Run, part: Chunk): Promise<void> | undefined => {
  const attempt = currentAttempt(run);
  const remaining = attempt.wasEdited ? withoutFallen(run, unquoting(part)) : part;
  const ruled =
    remaining.type === 'tool-result'
      ? resultOfCall(run, attempt, remaining)
      : takeRuling(attempt.calls, attempt.answer.toolCalls, remaining);
  if (!ruled) return undefined;
  if (ruled.type === 'tool-call') followCall(attempt, ruled);
  if (isGuarded(run, 'llmResponse')) attempt.leftChunks.push({ type: ruled.type, payload: ruled.payload });
  if (ruled.type === 'finish') {
    if (attempt.finish)
      changeAttempt(run, { finish: { ...attempt.finish, providerMetadata: fieldsIn(ruled.payload)['providerMetadata'] } });
    return undefined;
  }
  addChunk(attempt.answer, ruled);
  keepInput(run, attempt, ruled);
  return isReplaced(run, ruled) ? undefined : emit(run, ruled);
};

/** Whether a chunk is a preliminary result of a held response. Its guards get the result that replaces it, and readers get both at once. */
const isReplaced = (run: Run, { type, payload }: Chunk): boolean =>
  type === 'tool-result' && Boolean(run.options.hold && fieldsIn(payload)['preliminary']) && judgesWhole(run);

/** Removes metadata that may quote removed content; at the end of a response `metadata` repeats the provider's. */
export const unquoting = <C extends Pick<Chunk, 'payload'>>(chunk: C): C => {
  const { providerMetadata, metadata } = fieldsIn(chunk.payload);
  if (!providerMetadata && !metadata) return chunk;
  const own = definedFields({ providerMetadata: withoutQuotations(providerMetadata), metadata: withoutQuotations(metadata) });
  return { ...chunk, payload: { ...fieldsIn(chunk.payload), ...own } };
};

/** Whether guards judge whole responses: they get calls and results as the conversation has them, not as the provider streamed them. */
const judgesWhole = (run: Run): boolean => isGuarded(run, 'outputStep') || isGuarded(run, 'outputResult');

/** Keeps a chunk that streams arguments, to compare it with its call. */
const keepInput = (run: Run, { answer }: Attempt, chunk: Chunk): void => {
  if (argumentsOf(chunk) !== undefined && judgesWhole(run)) answer.streamedInput.push(chunk);
};

/**
 * The result of a provider's tool, with the name and the arguments of its call. Undefined if there is no such call and guards judge whole
 * responses, which cannot contain it.
 */
export const resultOfCall = (run: Run, { answer }: Attempt, chunk: Chunk): Chunk | undefined => {
  const result = chunk.payload as ProviderResult;
  const { toolCallId } = result;
  const call = answer.toolCalls.find((one) => one.toolCallId === toolCallId) ?? earlierCall(run, toolCallId);
  if (!call) return judgesWhole(run) ? undefined : chunk;
  const { toolName, args = call.args } = result;
  if (toolName === call.toolName && isSame(args, call.args)) return chunk;
  return { ...chunk, payload: { ...result, toolName: call.toolName, ...('args' in result && { args: call.args }) } };
};

const earlierCall = ({ scope, state: { list } }: Run, toolCallId: string): Omit<ToolCall, 'toolCallId'> | undefined =>
  findToolPart(
    scope.host.messages.read(list, 'all').flatMap(({ content }) => content.parts),
    toolCallId,
  )?.toolInvocation;

/** Forgets the input of a call whose arguments guards have edited: it may hold what they removed. */
const followCall = ({ calls }: Attempt, { payload }: Chunk): void => {
  const { toolCallId, args } = payload as ToolCall;
  const given = calls.get(toolCallId)?.given;
  if (given && !isSame(given.args, args)) setCall(calls, toolCallId, { given: undefined });
};

const rulings: Partial<Record<string, (payload: { error?: unknown }) => CallRuling>> = {
  'tool-error': ({ error }) => ({ kind: 'rejected', message: error }),
  'tool-call-approval': () => ({ kind: 'approval' }),
};

/**
 * If a guard replaced a call with an error or an approval request, stores this ruling and returns the call itself, which is emitted all
 * the same: the error or request follows it. Returns other chunks unchanged.
 */
const takeRuling = (calls: StepCalls, made: readonly ToolCall[], chunk: Chunk): Chunk => {
  const rule = rulings[chunk.type];
  if (!rule) return chunk;
  const { toolCallId, toolName, args, ...payload } = (chunk.payload ?? {}) as ToolCall & { error?: unknown };
  // The error of a tool that the provider ran follows its call.
  if (made.some((call) => call.toolCallId === toolCallId)) return chunk;
  if (calls.get(toolCallId)?.ruling?.kind !== 'rejected') setCall(calls, toolCallId, { ruling: rule(payload) });
  return { ...chunk, type: 'tool-call', payload: { toolCallId, toolName, args } };
};
