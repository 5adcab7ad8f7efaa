import { isInterlockError } from '../errors.js';
import { drive } from '../loop/drive.js';
import type { Run as LoopRun } from '../loop/run.js';
import { findToolPart } from '../loop/response.js';
import { responseParts } from '../loop/step-record.js';
import { resultPayload } from '../loop/activities/finish.js';
import type { Phase } from '../phase/row.js';
import { copyPlain, isSame } from '../phase/plain-data.js';
import { createStreamBuffer, type StreamBuffer } from '../stream/stream-buffer.js';
import type { RunEvent } from '../../schemas/index.js';
import { callIdOf, modelCodec, partOfChunk } from './chunks.js';
import { judge } from './judge.js';
import { inOrder, createGathering, createWire, type Gathering } from './wire.js';
import { editSteps, lastResults, watchEdits, type EditsBefore } from './recorded-steps.js';
import { openListPort, createLoopRun, onlyPhases } from './loop-run.js';
import { createModelPort, isCleanRecord, leavesTogether, waits, type ModelCall, type ModelReply } from './model-port.js';
import { exemptFromSchema } from './ruled-calls.js';
import type { Run } from './run.js';
import type { Chunk, PartOf, Prompt, StreamPart } from './spec.js';
import { withoutPrompt } from '../loop/judge.js';
import { abortErrorOf, approvalError, errorOfStop, lateEditError } from './stop-errors.js';

/** One call of the guarded model: a run of the loop, whose response is emitted part by part. */
export interface GuardedCall {
  /** The emitted parts. Throws the error that ends the run, and the error of the provider's call if no guard recovers it. */
  readonly parts: AsyncGenerator<StreamPart>;
  /** Resolves to true once the provider has started to respond, and to false when the call fails before that. */
  opened(): Promise<boolean>;
  readonly reply: ModelReply;
  /** Whether guards left the response unchanged: then the provider's record of it contains nothing that they removed. */
  isUnedited(): boolean;
}

interface Calling {
  readonly run: Run;
  readonly call: ModelCall;
  readonly reply: ModelReply;
  readonly loop: LoopRun;
  /** Settles when the run of the loop is over. */
  readonly over: Promise<void>;
  /** The guards' edits of messages before the response. */
  readonly edits: EditsBefore;
  /** The emitted content, if the provider's record of the response is kept. */
  readonly emitted: Gathering;
  hasEnded: boolean; // whether the whole response was emitted
  /** Whether the whole response is emitted after the review, as with `hold: 'step'`; a generated response always is. */
  readonly isBuffered: boolean;
  /** Chunks of a held response that the loop has emitted. */
  readonly emittedChunks: readonly Chunk[];
  /** Parts to emit after the review. */
  readonly waiting: StreamPart[];
  readonly ruled: ReadonlySet<string>; // calls with a guard's ruling
}

/** Calls the model under the control of the loop's machine, from the request to the reviewed response, with its retries and recoveries. */
export const callGuarded = (run: Run, call: ModelCall, prompt: Prompt): GuardedCall => {
  const isBuffered = leavesTogether(run, call);
  const reply: ModelReply = { received: undefined, raws: [], order: [], isWaiting: isBuffered, parts: new WeakMap() };
  const ruled = new Set<string>();
  const emittedChunks: Chunk[] = [];
  let hasEmitted = false;
  const { promise: opening, resolve } = Promise.withResolvers<true>();
  const loopOf = (): LoopRun => loop; // assigned before anything happens in it
  const port = openListPort(run, prompt, { loopOf, onWrite: () => edits.forget() });
  const plan = onlyPhases(run.plan, (phase) => isOfCall(phase) && (phase !== 'outputResult' || isFinal(run, call, loop)));
  const edits = watchEdits(run, plan, () => port.conversation);
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'state-enter' && event.state === 'step.tools') recordRulings(run, loop, ruled);
    if (event.type === 'state-enter' && event.state === 'step.calling' && loop.attempt?.cached) resolve(true);
    report(run, loop, event);
  };
  const streamBuffer = streamBufferFor((chunk) => {
    hasEmitted ||= !silent.has(chunk.type) && !waits(run, reply, chunk);
    if (isBuffered) emittedChunks.push(chunk);
  });
  if (isBuffered) streamBuffer.drain(); // it is read after it is complete
  const loop = createLoopRun(run, {
    ...call,
    plan: edits.plan,
    list: port.conversation.list,
    streamBuffer,
    messageIds: port.conversation.originals,
    hold: isBuffered ? 'run' : undefined, // one call of the model is a whole run of the loop
    mayTakeBack: () => isBuffered || !hasEmitted,
    onEvent,
    ports: {
      messages: port.messages,
      models: [{ model: call.model as never, maxRetries: 0 }], // Mastra types a model by an older specification
      ...createModelPort({ run, call, reply, loopOf, onOpened: () => resolve(true) }),
    },
  });
  const over = drive(loop);
  const calling: Calling = {
    run,
    call,
    reply,
    loop,
    over,
    edits,
    ruled,
    isBuffered,
    emittedChunks,
    emitted: createGathering(),
    waiting: [],
    hasEnded: false,
  };
  return {
    reply,
    parts: answerParts(calling),
    opened: () => Promise.race([opening, over.then(() => false)]),
    isUnedited: () => calling.hasEnded && isUnedited(calling),
  };
};

/** The caller's messages and those of each step are judged when the AI SDK prepares them. */
const isOfCall = (phase: Phase): boolean => phase !== 'input' && phase !== 'inputStep';

/** Whether a tool follows the rulings about its calls: it is guarded, or the AI SDK rejects its calls, because there is no such tool. */
const followsRulings = (run: Run, { params }: ModelCall, toolName: string): boolean =>
  run.guardedTools.has(toolName) || (run.adapters.has('guardTools') && !params.tools?.some(({ name }) => name === toolName));

/** Whether a response is the run's result, because it calls no tool of the client. */
const isFinal = (run: Run, call: ModelCall, { attempt }: LoopRun): boolean =>
  !attempt?.record?.toolCalls.some(({ toolCallId, toolName, providerExecuted }) => {
    const isRemoved = attempt.answer.rulings.has(toolCallId) && !followsRulings(run, call, toolName);
    return !providerExecuted && !isRemoved;
  });

/**
 * Stores the guards' rulings about calls for the guarded tools, because the AI SDK runs every call: the model gets the reason
 * for a rejected one, or the AI SDK asks for approval.
 */
const recordRulings = (run: Run, { attempt }: LoopRun, ruled: Set<string>): void => {
  for (const [toolCallId, ruling] of attempt?.answer.rulings ?? []) {
    ruled.add(toolCallId);
    if (ruling.kind === 'rejected') run.rejectedCalls.set(toolCallId, ruling.message);
    else run.approvals.add(toolCallId);
  }
  attempt?.answer.rulings.clear();
  for (const { toolCallId } of attempt?.record?.toolCalls ?? []) attempt?.stepCalls.settled.set(toolCallId, 'client');
};

const report = (run: Run, { stop, retries, recoveries }: LoopRun, event: RunEvent): void => {
  if (event.type === 'model-error' && event.recovered) run.emit({ type: 'recovery', recoveries: recoveries + 1 });
  if (event.type !== 'state-enter' || event.state !== 'step.preparing' || stop?.kind !== 'retry') return;
  run.retries = retries;
  run.emit({ type: 'retry', processorId: stop.processorId, phase: stop.phase, reason: stop.reason, retries });
};

/** The loop's own chunks; the AI SDK creates its own. */
const ofLoop: ReadonlySet<string> = new Set(['start', 'step-start', 'step-finish', 'finish', 'tripwire', 'error', 'abort']);
const retraction = 'data-interlock-retract';

const silent: ReadonlySet<string> = new Set([retraction, 'response-metadata', 'raw']);

/** A reader takes each chunk as it is emitted; only then the provider is asked for the next one. */
const streamBufferFor = (onShow: (chunk: Chunk) => void): StreamBuffer<Chunk> => {
  const streamBuffer = createStreamBuffer<Chunk>(1, onShow);
  const { write } = streamBuffer;
  return Object.assign(streamBuffer, { write: (chunk: Chunk) => (ofLoop.has(chunk.type) ? undefined : write(chunk)) });
};

async function* answerParts(calling: Calling): AsyncGenerator<StreamPart> {
  const { run, call, reply, loop, over, emitted, isBuffered } = calling;
  const wire = createWire();
  const reader = isBuffered ? undefined : loop.options.streamBuffer.read().getReader();
  let hasStarted = false;
  function* send(parts: readonly StreamPart[]): Generator<StreamPart> {
    if (!hasStarted && reply.start) yield reply.start; // once for all attempts
    hasStarted ||= reply.start !== undefined;
    for (const part of parts) {
      if (part.type === 'tool-call' && !mayLeave(calling, part)) continue;
      if (reply.received) emitted.add(part);
      yield* wire.send(part.type === 'tool-call' ? exemptFromSchema(run, part, call.params.tools) : part);
    }
  }
  try {
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
      for (const part of send(leaving(calling, next.value))) yield part; // `yield*` would wait for each
    await over;
    for (const chunk of calling.emittedChunks) leaving(calling, chunk);
    Object.assign(run, { retries: loop.retries, recoveries: loop.recoveries });
    const finish = accept(calling);
    yield* send(inOrder(calling.waiting, reply.order));
    calling.hasEnded = true;
    if (isUnedited(calling) && (await isCleanRecord(run, reply.raws))) yield* send(reply.raws);
    yield* wire.end();
    if (finish.failure) yield { type: 'error', error: finish.failure.error };
    if (finish.part) yield finish.part;
  } finally {
    if (loop.status === undefined) call.cancel(new DOMException('Nobody reads the answer.', 'AbortError'));
    await reader?.cancel();
  }
}

/** The parts to emit at once for a chunk that guards released. */
const leaving = (calling: Calling, chunk: Chunk): readonly StreamPart[] => {
  const { run, reply, waiting } = calling;
  run.throwIfStopped();
  if (chunk.type === retraction) {
    takeBack(calling, chunk as Retraction); // of that type
    return [];
  }
  const part = partOfChunk(chunk, reply.parts, modelCodec);
  if (!part) return [];
  if (!waits(run, reply, chunk)) return [part];
  waiting.push(part);
  return [];
};

type Retraction = Chunk & { readonly data: { readonly scope: string; readonly partIds: readonly string[] } };

/** Emitted text cannot be retracted for an edit: the guard's edit fails the run. */
const takeBack = ({ run, waiting }: Calling, { data: { scope, partIds } }: Retraction): void => {
  if (scope === 'step' || scope === 'run') return void waiting.splice(0);
  for (const id of partIds) {
    const remaining = waiting.filter((part) => callIdOf(part) !== id);
    if (remaining.length === waiting.length) throw run.end(lateEditError(run));
    waiting.splice(0, waiting.length, ...remaining);
  }
};

interface Finish {
  readonly part: PartOf<'finish'> | undefined;
  readonly failure?: { readonly error: unknown };
}

/** The end of the call. Throws the error that guards ended the run with, and the error of a failed call. */
const accept = (calling: Calling): Finish => {
  const { run, reply, loop, call, waiting } = calling;
  run.throwIfStopped();
  if (loop.status === 'canceled') throw abortErrorOf(loop.signal);
  if (loop.stop) throw run.end(errorOfStop(loop.stop, withoutPrompt(loop)));
  if (loop.status !== 'success') {
    call.signal.throwIfAborted();
    if (!reply.failure) throw causeOf(loop.error);
    waiting.splice(0);
    return { part: reply.finish, failure: { error: causeOf(loop.error) } };
  }
  editEarlier(calling);
  run.isAnswered = true;
  run.judgeLast = isFinal(run, call, loop) ? undefined : () => judgeLast(run, loop);
  return { part: finishOf(calling) };
};

/** Edits steps that were not emitted. Without a held result earlier steps were emitted, and the edit fails the run. */
const editEarlier = ({ run, edits }: Calling): void => {
  const late = edits.read();
  if (late.length === 0) return;
  if (!run.holdsResult || !editSteps(run, late)) throw run.end(lateEditError(run, 'outputResult'));
};

/** A rejected call of a tool that is not guarded is not emitted, and approval cannot be requested. */
const mayLeave = ({ run, call, ruled }: Calling, { toolCallId, toolName }: PartOf<'tool-call'>): boolean => {
  run.judgedCalls.add(toolCallId);
  if (!ruled.has(toolCallId) || followsRulings(run, call, toolName)) return true;
  if (run.approvals.has(toolCallId)) throw run.end(approvalError(run));
  return false;
};

/** The loop wraps a provider's error; callers of the AI SDK expect the error itself. */
const causeOf = (error: unknown): unknown =>
  isInterlockError(error) && (error.code === 'model/call-failed' || error.code === 'run/failed') ? (error.cause ?? error) : error;

/** Guards do not decide how a call finished; a cached response has a finish chunk of its own. */
const finishOf = ({ reply, loop }: Calling): PartOf<'finish'> => {
  const { finish: own, record } = loop.attempt ?? {};
  const parts =
    reply.finish ??
    (modelCodec.toPart({
      type: 'finish',
      payload: { stepResult: { reason: own?.reason }, output: { usage: own?.usage }, providerMetadata: own?.providerMetadata },
    }) as PartOf<'finish'>); // of that type
  const providerMetadata = record?.providerMetadata as typeof parts.providerMetadata; // the provider's, without quotations of the response
  return isSame(providerMetadata, parts.providerMetadata) ? parts : { ...parts, providerMetadata };
};

/** Whether guards left the response unchanged: then the provider's record of it contains nothing that they removed. */
const isUnedited = ({ reply: { received }, emitted }: Calling): boolean =>
  !received || isSame([...received.content], [...emitted.content]);

/** A stop condition may have ended the run with a response that calls tools. Edits and retries are no longer possible then. */
const judgeLast = async (run: Run, loop: LoopRun): Promise<void> => {
  run.judgeLast = undefined;
  const { messages } = run.scope.host;
  const parts = responseParts(loop);
  for (const { result, ...toolCall } of lastResults(run.steps))
    // the AI SDK ran the tools
    if (findToolPart(parts, toolCall.toolCallId)) messages.writeToolResult(loop.list, toolCall, copyPlain(result));
  const answers = () => JSON.stringify(messages.read(loop.list, 'response').map(({ content }) => content.parts));
  const before = answers();
  await judge<'outputResult'>(run, resultPayload(loop), { mayRetry: false });
  if (answers() !== before) throw run.end(lateEditError(run, 'outputResult'));
};
