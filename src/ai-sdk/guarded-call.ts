import { isInterlockError } from '../errors.js';
import { drive } from '../loop/drive.js';
import { currentAttempt, type Run as LoopRun } from '../loop/run.js';
import { setCall } from '../loop/tool-call.js';
import type { Phase } from '../phase/row.js';
import { isSame, fieldsIn } from '../phase/plain-data.js';
import { createStreamBuffer, type StreamBuffer } from '../stream/stream-buffer.js';
import type { RunEvent } from '../../schemas/index.js';
import { isData, modelCodec, partOfChunk, retraction } from './chunks.js';
import { judgeLast } from './judge-last.js';
import { inOrder, createGathering, createWire, type Gathering, type Wire } from './wire.js';
import { editSteps } from './recorded-steps.js';
import { onlyPhases, openLoop } from './loop-run.js';
import {
  createModelPort,
  createReply,
  isCleanRecord,
  leavesTogether,
  waits,
  type ModelCall,
  type ModelReply,
} from './model-port.js';
import { exemptFromSchema } from './ruled-calls.js';
import type { Run } from './run.js';
import { rulingOf, setJudged } from './run-state.js';
import type { Chunk, PartOf, StreamPart } from './spec.js';
import { withoutPrompt } from '../loop/judge.js';
import { watchEdits } from './watch-edits.js';
import { abortErrorOf, approvalError, errorOfStop, lateEditError } from './stop-errors.js';

/** One call of the guarded model: a run of the loop. */
export interface GuardedCall {
  /** Resolves to true once the provider has started to respond, and to false when the call fails before that. */
  readonly opened: Promise<boolean>;
  /** Resolves once the response was emitted. Rejects with the error that ends the run, and that of the provider's call if no guard recovers it. */
  readonly over: Promise<void>;
  readonly reply: ModelReply;
  /** Whether guards left the response unchanged: then the provider's record of it contains nothing that they removed. */
  isUnedited(): boolean;
}

/** Receives the emitted parts of a response. */
export interface PartSink {
  /** Returns a promise if the writer must wait for a reader. */
  send(part: StreamPart): Promise<void> | undefined;
  /** The writer does not wait for a reader any more. */
  drain(): void;
}

interface Calling {
  readonly run: Run;
  readonly call: ModelCall;
  readonly sink: PartSink;
  readonly reply: ModelReply;
  readonly loop: LoopRun;
  /** The guards' edits of messages before the response. */
  readonly edits: ReturnType<typeof watchEdits>;
  readonly wire: Wire;
  /** The emitted content, if the provider's record of the response is kept. */
  readonly emitted: Gathering;
  hasStarted: boolean; // whether the start of the stream was emitted: once for all attempts
  hasEmitted: boolean; // whether anything was emitted that cannot be retracted
  hasEnded: boolean; // whether the whole response was emitted
  /** Parts to emit after the review. */
  readonly waiting: StreamPart[];
  readonly written: Chunk[]; // data of guards, which leaves before the next part if they pass
  readonly ruled: Set<string>; // calls with a guard's ruling
}

/** Calls the model under the control of the loop's machine, from the request to the reviewed response, with its retries and recoveries. */
export const callGuarded = (run: Run, call: ModelCall, sink: PartSink): GuardedCall => {
  const isBuffered = leavesTogether(run, call); // the whole response is emitted after the review
  const reply = createReply(isBuffered);
  const opening = Promise.withResolvers<boolean>();
  const plan = onlyPhases(run.plan, (phase) => isOfCall(phase) && (phase !== 'outputResult' || isFinal(run, call, loop)));
  const edits = watchEdits(run, plan, () => conversationOf());
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'state-enter' && event.state === 'step.tools') recordRulings(calling);
    if (event.type === 'state-enter' && event.state === 'step.calling' && loop.state.attempt?.cached) opening.resolve(true);
    report(calling, event);
  };
  const onShow = (chunk: Chunk): Promise<void> | undefined => emitChunk(calling, chunk);
  const { loop, conversationOf } = openLoop(run, {
    ...call,
    prompt: call.params.prompt,
    plan: edits.plan,
    streamBuffer: isBuffered ? bufferedUntilEnd(onShow) : unbuffered(onShow, sink),
    hold: isBuffered ? 'run' : undefined, // one call of the model is a whole run of the loop
    trace: run.state.trace,
    mayTakeBack: () => isBuffered || !calling.hasEmitted,
    onEvent,
    ports: {
      models: [{ model: call.model as never, maxRetries: 0 }], // Mastra types a model by an older specification
      ...createModelPort({ run, call, reply, loopOf: () => loop, onOpened: () => opening.resolve(true) }),
      dropInputs: isBuffered ? undefined : async (ids) => dropInputs(calling, ids), // they wait for the review
    },
  });
  const calling: Calling = {
    run,
    call,
    sink,
    reply,
    loop,
    edits,
    wire: createWire(),
    emitted: createGathering(),
    hasStarted: false,
    hasEmitted: false,
    hasEnded: false,
    waiting: [],
    written: [],
    ruled: new Set(),
  };
  const finished = async (): Promise<void> => {
    await drive(loop);
    run.state.trace?.endCall(loop);
    opening.resolve(false);
    await emitLast(calling);
  };
  return { reply, over: finished(), opened: opening.promise, isUnedited: () => calling.hasEnded && isUnedited(calling) };
};

/** The caller's messages and those of each step are judged when the AI SDK prepares them. */
const isOfCall = (phase: Phase): boolean => phase !== 'input' && phase !== 'inputStep';

/** Whether a tool follows the rulings about its calls: it is guarded, or the AI SDK rejects its calls, because there is no such tool. */
const followsRulings = (run: Run, { params }: ModelCall, toolName: string): boolean =>
  run.tools.has(toolName) || (run.adapters.has('guardTools') && !params.tools?.some(({ name }) => name === toolName));

/** Whether a response is the run's result, because it calls no tool of the client. */
const isFinal = (run: Run, call: ModelCall, { state: { attempt } }: LoopRun): boolean =>
  !attempt?.record?.toolCalls.some(({ toolCallId, toolName, providerExecuted }) => {
    const isRemoved = attempt.calls.get(toolCallId)?.ruling !== undefined && !followsRulings(run, call, toolName);
    return !providerExecuted && !isRemoved;
  });

/**
 * Stores the guards' rulings about calls for the guarded tools, because the AI SDK runs every call: the model gets the reason
 * for a rejected one, or the AI SDK asks for approval.
 */
const recordRulings = ({ run, loop, ruled }: Calling): void => {
  const { calls, record } = currentAttempt(loop);
  for (const [toolCallId, { ruling }] of calls) {
    if (!ruling) continue;
    setCall(calls, toolCallId, { ruling: undefined });
    ruled.add(toolCallId);
    setJudged(run, toolCallId, { ruling });
  }
  for (const { toolCallId } of record?.toolCalls ?? []) setCall(calls, toolCallId, { settled: 'client' });
};

const report = ({ run, loop: { state }, written }: Calling, event: RunEvent): void => {
  const { stop, counters } = state;
  if (event.type === 'model-error' && event.recovered) run.emit({ type: 'recovery', recoveries: counters.recoveries + 1 });
  if (event.type !== 'state-enter' || event.state !== 'step.preparing' || stop?.kind !== 'retry') return;
  written.splice(0);
  const { retries } = counters;
  run.change({ retries });
  run.emit({ type: 'retry', processorId: stop.processorId, phase: stop.phase, reason: stop.reason, retries });
};

/** The loop's own chunks; the AI SDK creates its own. */
const ofLoop: ReadonlySet<string> = new Set(['start', 'step-start', 'step-finish', 'finish', 'tripwire', 'error', 'abort']);
const silent: ReadonlySet<string> = new Set([retraction, 'response-metadata', 'raw']);

/** Emits all chunks once the response was accepted. */
const bufferedUntilEnd = (onShow: StreamBuffer<Chunk>['write']): StreamBuffer<Chunk> => {
  const streamBuffer = createStreamBuffer<Chunk>(1, (chunk) => void onShow(chunk));
  streamBuffer.drain(); // it has no readers
  return streamBuffer;
};

/** Emits each chunk at once. Nothing is stored: what has left cannot be retracted. */
const unbuffered = (write: StreamBuffer<Chunk>['write'], { drain }: PartSink): StreamBuffer<Chunk> =>
  Object.assign(createStreamBuffer<Chunk>(), { write, drain });

/** Emits a chunk that guards released, unless it waits for the review. */
const emitChunk = (calling: Calling, chunk: Chunk): Promise<void> | undefined => {
  const { run, reply, waiting, written } = calling;
  if (ofLoop.has(chunk.type) || run.error) return undefined;
  if (chunk.type === retraction) {
    takeBack(calling, chunk);
    return undefined;
  }
  if (isData(chunk)) return void written.push(chunk);
  const part = partOfChunk(chunk, reply.parts, reply.codec);
  if (!part) return undefined;
  if (part.type === 'tool-call') setJudged(run, part.toolCallId, { args: fieldsIn(chunk.payload)['args'], isOwn: true });
  if (waits(run, reply, chunk)) return void waiting.push(part);
  calling.hasEmitted ||= !silent.has(chunk.type);
  return send(calling, part);
};

const send = (calling: Calling, part: StreamPart): Promise<void> | undefined => {
  const { run, call, sink, reply, emitted, wire } = calling;
  if (!calling.hasStarted && reply.start) void sink.send(reply.start);
  calling.hasStarted ||= reply.start !== undefined;
  showWritten(calling);
  if (part.type === 'tool-call' && !mayLeave(calling, part)) return undefined;
  if (reply.received) emitted.add(part);
  const chunk = run.state.trace && reply.codec.toChunk(part, run.id);
  if (chunk) run.state.trace?.show(chunk);
  let sent: Promise<void> | undefined;
  for (const own of wire.send(part.type === 'tool-call' ? exemptFromSchema(run, part, call.params.tools) : part))
    sent = sink.send(own);
  return sent;
};

const showWritten = ({ run, written }: Calling): void => {
  for (const chunk of written.splice(0)) run.showData(chunk);
};

/** Emits the parts that waited for the review, and the end of the response. */
const emitLast = async (calling: Calling): Promise<void> => {
  const { run, reply, loop, wire, sink, waiting } = calling;
  const { retries, recoveries } = loop.state.counters;
  run.change({ retries, recoveries });
  const { part, failure } = accept(calling);
  showWritten(calling);
  for (const own of inOrder(waiting, reply.order)) void send(calling, own);
  calling.hasEnded = true;
  if (reply.raws.length > 0 && isUnedited(calling) && (await isCleanRecord(run, reply.raws)))
    for (const raw of reply.raws) void send(calling, raw);
  for (const end of wire.end()) void sink.send(end);
  if (failure) void sink.send({ type: 'error', error: failure.error });
  if (part) void sink.send(part);
};

/** Emitted text cannot be retracted for an edit, whose content is sent again: the guard's edit fails the run. */
const takeBack = ({ run, waiting, hasEmitted }: Calling, { data }: Chunk): void => {
  if (fieldsIn(data)['resent'] && hasEmitted) throw run.end(lateEditError(run));
  waiting.splice(0);
};

/** Drops the waiting pieces of the arguments of calls. */
const dropInputs = ({ waiting }: Calling, ids: readonly string[]): void => {
  const left = waiting.filter((part) => !(part.type.startsWith('tool-input-') && ids.includes(String(fieldsIn(part)['id']))));
  waiting.splice(0, waiting.length, ...left);
};

/** The end of the call. Throws the error that guards ended the run with, and the error of a failed call. */
const accept = (calling: Calling) => {
  const { run, reply, loop, call, waiting } = calling;
  run.throwIfStopped();
  if (loop.state.status === 'canceled') throw abortErrorOf(loop.signal);
  if (loop.state.stop) throw run.end(errorOfStop(loop.state.stop, withoutPrompt(loop)));
  if (loop.state.status !== 'success') {
    call.signal.throwIfAborted();
    if (reply.isEmpty) return { part: undefined };
    if (!reply.failure) throw causeOf(loop.state.error);
    waiting.splice(0);
    return { part: reply.finish, failure: { error: causeOf(loop.state.error) } };
  }
  editEarlier(calling);
  run.change({ isAnswered: true, judgeLast: isFinal(run, call, loop) ? undefined : () => judgeLast(run, loop) });
  return { part: finishOf(calling) };
};

/** Edits steps that were not emitted. Without a held result earlier steps were emitted, and the edit fails the run. */
const editEarlier = ({ run, edits }: Calling): void => {
  const late = edits.read();
  if (late.length === 0) return;
  if (!run.state.holdsResult || !editSteps(run, late)) throw run.end(lateEditError(run, 'outputResult'));
};

/** A rejected call of a tool that is not guarded is not emitted, and approval cannot be requested. */
const mayLeave = ({ run, call, ruled }: Calling, { toolCallId, toolName }: PartOf<'tool-call'>): boolean => {
  if (!ruled.has(toolCallId) || followsRulings(run, call, toolName)) return true;
  if (rulingOf(run, toolCallId)?.kind === 'approval') throw run.end(approvalError(run));
  return false;
};

/** The loop wraps a provider's error; callers of the AI SDK expect the error itself. */
const causeOf = (error: unknown): unknown =>
  isInterlockError(error) && (error.code === 'model/call-failed' || error.code === 'run/failed') ? (error.cause ?? error) : error;

/** Guards do not decide how a call finished; a cached response has a finish chunk of its own. */
const finishOf = ({ reply, loop }: Calling): PartOf<'finish'> => {
  const { finish: own, record } = loop.state.attempt ?? {};
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
