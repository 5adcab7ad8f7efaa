import { readAhead, recordModelChunk } from '../model-call.js';
import type { ModelCall, ResponseReader, Chunk, LoopPorts, ModelRequest } from '../ports.js';
import type { Outcome } from '../activity.js';
import { agentChunk, emit, isChunk } from '../emit.js';
import { changeAttempt, currentAttempt, type Attempt, type Run } from '../run.js';
import { setRunError, isGuarded, stopWith, dropReprocessed } from '../judge.js';
import { InterlockError } from '../../errors.js';
import { createTurns } from '../../guard/in-steps.js';
import { isPromise, untilAborted } from '../../phase/awaitable.js';
import { unchanging } from '../../phase/plain-data.js';
import { noteOriginal } from '../fallen-stand-ins.js';
import { createPartIds, idsOf } from '../part-ids.js';
import { openGuardedStream, type GuardedStream } from '../guarded-stream.js';
import { createBlockScopes } from '../../pipeline/block-scope.js';
import { firstTripOrAll } from '../../pipeline/parallel.js';
import { strictest } from '../../verdict.js';
import { markInputAccepted } from '../conversation.js';
import { type ToolCall, setCall } from '../tool-call.js';

/** The model's response. Each chunk passes the stream guards before it is emitted; a trip ends the provider's call. */
export const call = async (run: Run): Promise<Outcome> => {
  const modelCall: ModelCall = currentAttempt(run).ahead ?? startModelCall(run);
  const { cached } = changeAttempt(run, { ahead: undefined });
  const { startedAt, hangUp } = modelCall;
  try {
    const reader = await modelCall.response;
    await announce(run);
    const hasResponded = run.options.mode === 'generate' || cached !== undefined; // the response is already complete
    const outcome = await consumeModelStream(run, changeAttempt(run, { hasResponded }), { reader, startedAt, hangUp });
    if (outcome.kind !== 'done') hangUp(); // a guard stopped the stream before its end
    return outcome;
  } catch (error) {
    hangUp();
    setRunError(run, error);
    return { kind: 'api-error' };
  } finally {
    changeAttempt(run, { modelCall: undefined, prompt: undefined }); // it was sent
    run.recorder.flush();
  }
};

const announce = async (run: Run): Promise<void> => {
  const { place, request = {}, warnings } = currentAttempt(run);
  if (place !== undefined) return;
  const payload = { messageId: run.state.messageId, request, warnings };
  const { hold, streamBuffer } = run.options;
  if (hold) streamBuffer.startBuffering();
  await emit(run, { ...agentChunk(run, 'step-start', payload), metadata: { attempt: run.state.counters.attempt } });
  changeAttempt(run, { place: streamBuffer.offset });
};

/** A model's response while it streams. */
interface ModelStream extends Pick<ModelCall, 'startedAt' | 'hangUp'> {
  readonly reader: ResponseReader;
}

/**
 * Passes a model's response chunk by chunk through the stream guards. The guards' version of a chunk becomes part of the response and is
 * emitted; a stop ends the response. Throws the provider's error, and `model/malformed-stream`.
 */
const consumeModelStream = async (run: Run, attempt: Attempt, modelStream: ModelStream): Promise<Outcome> => {
  const guardedStream = openGuardedStream(run);
  guardedStream.onStop?.(modelStream.hangUp); // the provider may be silent
  dropReprocessed(run); // of a call that was cut off
  try {
    return (await consumeChunks(run, attempt, { ...modelStream, guardedStream })) ?? (await endOf(run, guardedStream));
  } catch (error) {
    const stop = await guardedStream.settled?.(); // on what came before the error
    if (stop) return stop;
    throw error;
  } finally {
    guardedStream.close?.();
  }
};

/** Processes every chunk. Returns an outcome if the guards stop on one. */
const consumeChunks = async (
  run: Run,
  attempt: Attempt,
  { reader, startedAt, guardedStream }: ModelStream & { guardedStream: GuardedStream },
): Promise<Outcome | undefined> => {
  const needsWords = isGuarded(run, 'outputStream');
  const words = { startedAt, needsWords };
  const holdsResults = isGuarded(run, 'toolResult');
  const withUniqueId = createPartIds(idsOf(run));
  const takeTurn = createTurns();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const turn = takeTurn(); // the provider may have its whole response ready
    if (turn) await turn;
    run.signal.throwIfAborted();
    const given = reader.toChunk(part.value);
    if (!given) continue;
    const made = isChunk(given, 'tool-call') ? makeCall(run, attempt, given.payload) : undefined;
    const chunk = made && made.call !== given.payload ? { ...given, payload: made.call } : given;
    recordModelChunk(run, chunk, words);
    const own = withUniqueId(chunk);
    if (!own) continue;
    made?.keep(own);
    if (holdsResults && own.type === 'tool-result') {
      attempt.heldResults.push(own); // emitted after it was judged, see review
      continue;
    }
    if (needsWords) noteOriginal(attempt, own);
    const pending = guardedStream.process(own);
    const outcome = isPromise(pending) ? await pending : pending;
    if (outcome) return outcome;
  }
  run.signal.throwIfAborted();
  return undefined;
};

const endOf = async (run: Run, guardedStream: GuardedStream): Promise<Outcome> => {
  const attempt = currentAttempt(run);
  if (run.state.stop) return stopWith(run, run.state.stop); // a guard stopped on a data part while the provider was silent
  if (!guardedStream.isStopped && !(attempt.finish && attempt.hasResponded))
    throw new InterlockError('model/malformed-stream', { path: attempt.entry.model.modelId, detail: 'no finish part arrived.' });
  const outcome = (await guardedStream.end()) ?? { kind: 'done' };
  if (outcome.kind === 'done' && !run.options.ports.acceptsErrorFinish) checkFinish(currentAttempt(run));
  return outcome;
};

/** Throws if the model finished with an error, as Mastra's agent does: the response is incomplete. */
const checkFinish = ({ finish, entry }: Attempt): void => {
  if (finish?.reason !== 'error') return;
  const reported = finish.rawReason === undefined ? '' : ` (the provider reported "${finish.rawReason}")`;
  const detail = `the response has the finish reason "error"${reported}.`;
  throw new InterlockError('model/call-failed', { path: entry.model.modelId, detail });
};

/** Calls the model while guards judge. Reads its response ahead without using it; `call` uses it after the guards have passed. */
export const open = async (run: Run): Promise<Outcome> => {
  const ahead = readAhead(startModelCall(run));
  changeAttempt(run, { ahead });
  try {
    await ahead.response;
    return { kind: 'done' };
  } catch (error) {
    const isCurrent = run.state.attempt?.ahead === ahead;
    if (isCurrent) setRunError(run, error); // otherwise hangUp ended the call, which is not a model failure
    if (isCurrent) changeAttempt(run, { ahead: undefined });
    return { kind: 'api-error' };
  }
};

/**
 * Runs the guards that judge in parallel with the model's call. A trip ends them at once and cancels the others. A guard that
 * has passed is not called again for another attempt, unless the attempt's own guards add it again.
 */
export const judgeOverlap = async (run: Run): Promise<Outcome> => {
  const { overlapGuards } = run.state;
  const blockScope = createBlockScopes().take(run.scope);
  const verdicts = await firstTripOrAll(overlapGuards.map((guard) => guard.judge(blockScope.scope)));
  run.signal.throwIfAborted();
  const stop = strictest(verdicts);
  if (stop?.kind === 'trip') blockScope.cancel(new DOMException(`${stop.processorId} blocked.`, 'AbortError'));
  run.change({ overlapGuards: overlapGuards.filter((_, index) => verdicts[index]?.kind !== 'pass') });
  if (stop) return stopWith(run, stop);
  markInputAccepted(run, true);
  return { kind: 'done' };
};

/**
 * Makes a call, once: from here on guards, approval functions, records, readers and the tool get the same arguments. A call that the
 * provider runs itself is not changed. `keep` stores the data that its chunk lacks, under the id that the call has in the run.
 */
const makeCall = (run: Run, attempt: Attempt, written: ToolCall) => {
  const { makeCall: make } = run.options.ports;
  if (!make || written.providerExecuted) return undefined;
  const { args, refusal, ...rest } = make({ call: written, settings: attempt.settings });
  const keep = ({ payload }: Chunk): void => {
    const { toolCallId } = payload as ToolCall;
    if (refusal) setCall(attempt.calls, toolCallId, { ruling: { kind: 'rejected', message: refusal } });
    if ('given' in rest) setCall(attempt.calls, toolCallId, { given: { args, input: rest.given } });
  };
  return { call: args === written.args ? written : { ...written, args }, keep };
};

/** Calls the model of an attempt, or repeats a guard's cached response. */
const startModelCall = (run: Run): ModelCall => {
  const controller = new AbortController();
  const hangUp = (reason?: unknown): void => controller.abort(reason);
  const attempt = changeAttempt(run, { modelCall: { hangUp } }); // the driver ends the call with the run
  const { modelId, provider } = attempt.entry.model;
  const startedAt = run.scope.now();
  if (!attempt.cached) run.recorder.record({ type: 'model-call', modelId, provider });
  if (run.signal.aborted) hangUp(run.signal.reason);
  return { startedAt, response: openResponse(run, attempt, controller.signal), hangUp };
};

const openResponse = async (run: Run, attempt: Attempt, abortSignal: AbortSignal): Promise<ResponseReader> => {
  const { ports, mode, runId } = run.options;
  if (attempt.cached) {
    const { request, warnings = [], chunks: all } = attempt.cached;
    changeAttempt(run, { request: unchanging(request), warnings });
    const chunks = all.values();
    return { read: async () => chunks.next(), toChunk: (chunk) => ({ ...(chunk as Chunk), runId, from: 'AGENT' }) };
  }
  const { entry, prompt = [], settings } = attempt;
  const opened = await untilAborted(openStream(ports, { ...settings, entry, prompt, mode, abortSignal }), abortSignal);
  if (!opened) throw abortSignal.reason;
  const { reader, response } = opened;
  const { request, warnings = [] } = response;
  changeAttempt(run, { request: unchanging(request), warnings });
  Object.assign(attempt.response, response.response);
  return { read: () => reader.read(), toChunk: (part) => ports.toChunk(part, runId) };
};

/** Calls the provider. The end of the call also cancels the stream, which ends a read that waits for the provider. */
const openStream = async (ports: LoopPorts, request: ModelRequest) => {
  const response = await ports.callModel(request);
  const reader = response.parts.getReader();
  const { abortSignal } = request;
  const cancel = (): void => void reader.cancel(abortSignal.reason).catch(() => undefined);
  if (abortSignal.aborted) cancel();
  else abortSignal.addEventListener('abort', cancel, { once: true });
  return { response, reader };
};
