import { InterlockError } from '../errors.js';
import { isPromise } from '../phase/awaitable.js';
import { isSame } from '../pipeline/plain-data.js';
import { modelCodec } from './chunks.js';
import { guardsOutput, openCall, recover, type Again, type ModelCall, type OpenCall } from './model-call.js';
import { lateEdit, review } from './review.js';
import type { Run } from './run.js';
import type { Chunk, Content, PartOf, StreamPart } from './spec.js';
import { ruledPart } from './call-rulings.js';
import { createStreamLane, type Passed, type StreamLane } from './stream-lane.js';
import { createGathering, createWire, partsOfContent, saysSomething, type Gathering, type Wire } from './wire.js';

/** What one call of the guarded model has let out, over all its attempts. */
interface Sending {
  readonly call: ModelCall;
  readonly wire: Wire;
  /** Whether words have left: they cannot be taken back, so that the attempt is the last. */
  hasLeft: boolean;
  hasStarted: boolean;
}

/** One attempt at a call. */
interface Attempt {
  readonly open: OpenCall;
  readonly gathering: Gathering;
  /** Parts that wait for the whole answer to be judged. */
  readonly held: StreamPart[];
  readonly rawChunks: Chunk[];
  warnings: readonly unknown[];
  isUnedited?: boolean;
  finish?: PartOf<'finish'>;
  /** What the provider said before the stream's guards, where anything is told of that. */
  readonly came: Gathering | undefined;
  /** What the provider failed with while it answered; `isBroken` where its stream broke off, and it did not say so itself. */
  failure?: { readonly error: unknown; readonly isBroken: boolean };
}

/** The call that an answer finally came from. */
export interface LastCall {
  open: OpenCall;
  /** Whether guards left the answer as it came: then the provider's own record of it says nothing that they took out. */
  isUnedited?: boolean;
}

/**
 * A guarded model's answer, part by part. Tool calls leave when the whole answer was judged, words then or when they come, as the
 * run holds them. Throws what ends the run, and what the provider's stream broke off with, where no guard mends that; a failure
 * that the provider reports itself is a part, and how the call finished follows it.
 */
export async function* guardedParts(run: Run, call: ModelCall, last: LastCall): AsyncGenerator<StreamPart> {
  const sending: Sending = { call, wire: createWire(), hasLeft: false, hasStarted: false };
  for (;;) {
    const { open } = last;
    const came = guardsOutput(run) && keepsRecord(call) ? createGathering() : undefined;
    const attempt: Attempt = { open, came, gathering: createGathering(), held: [], rawChunks: [], warnings: [] };
    const again = (yield* pump(run, sending, attempt)) ?? (yield* finishUp(run, sending, attempt));
    last.isUnedited = attempt.isUnedited;
    if (!again) return;
    last.open = await openCall(run, call, again);
  }
}

/** Whether the provider's own record of an answer is told beside it: raw chunks, or the body of its response. */
const keepsRecord = ({ mode, params }: ModelCall): boolean => mode === 'generate' || params.includeRawChunks === true;

/** Takes the model's parts through the guards of the stream, to their end. */
async function* pump(run: Run, sending: Sending, attempt: Attempt): AsyncGenerator<StreamPart, Again | undefined> {
  const { open } = attempt;
  const lane = createStreamLane<StreamPart>(run, {
    codec: modelCodec,
    messageList: open.conversation.list,
    mayRetry: () => !sending.hasLeft,
    rule: (chunk) => ruledPart(run, chunk),
  });
  const parts = lane.watch(open.parts)[Symbol.asyncIterator]();
  const letOut = function* (passed: Passed<StreamPart>): Generator<StreamPart> {
    for (const left of passed.parts ?? []) yield* take(run, { sending, attempt }, left);
  };
  /** What guards clear while nothing comes leaves then. */
  const meanwhile = <T>(waiting: Promise<T>) => untilSettled(waiting, lane, (cleared) => letOut({ parts: cleared }));
  const againAfter = ({ again }: Passed<StreamPart>): Again | undefined =>
    again === undefined ? undefined : { feedback: again, prompt: open.prompt };
  try {
    for (;;) {
      const part = yield* meanwhile(nextPart(run, attempt, parts));
      if (!part) break;
      if (part.type === 'stream-start') {
        yield* start(sending, part);
        continue;
      }
      const pushed = lane.push(part);
      const passed = isPromise(pushed) ? yield* meanwhile(pushed) : pushed;
      yield* letOut(passed);
      if (passed.again !== undefined) return againAfter(passed);
    }
    if (attempt.failure) return undefined;
    const ending = lane.end();
    const last = isPromise(ending) ? yield* meanwhile(ending) : ending;
    yield* letOut(last);
    return againAfter(last);
  } finally {
    lane.close();
    await parts.return?.();
  }
}

/** Waits, and lets out meanwhile what guards clear. */
async function* untilSettled<T>(
  waiting: Promise<T>,
  lane: StreamLane<StreamPart>,
  letOut: (cleared: readonly StreamPart[]) => Generator<StreamPart>,
): AsyncGenerator<StreamPart, T> {
  const settled = waiting.then((value) => ({ value }));
  settled.catch(() => undefined); // nobody may be left to hear it
  for (;;) {
    const cleared = lane.nextCleared?.();
    const first = await (cleared ? Promise.race([settled, cleared]) : settled);
    if (first) return first.value;
    yield* letOut(lane.takeCleared());
  }
}

/** However many attempts there are, the stream starts once. */
function* start(sending: Sending, part: StreamPart): Generator<StreamPart> {
  if (!sending.hasStarted) yield part;
  sending.hasStarted = true;
}

/** The next part with what it tells the call itself; none at the end, and where the provider failed. */
const nextPart = async (run: Run, attempt: Attempt, parts: AsyncIterator<StreamPart>): Promise<StreamPart | undefined> => {
  try {
    for (;;) {
      const { done, value } = await parts.next();
      run.throwIfStopped();
      if (done) return undefined;
      if (value.type === 'error') {
        attempt.failure = { error: value.error, isBroken: false };
        attempt.finish = await finishAfterError(parts);
        return undefined;
      }
      attempt.came?.add(value);
      if (value.type === 'raw' && attempt.came) {
        attempt.held.push(value); // it holds words that guards may take out
        continue;
      }
      if (value.type === 'stream-start') attempt.warnings = value.warnings;
      if (value.type === 'finish') attempt.finish = value;
      if (run.plan.has('llmResponse')) keepRaw(run, attempt, value);
      return value;
    }
  } catch (error) {
    run.throwIfStopped();
    attempt.failure = { error, isBroken: true };
    return undefined;
  }
};

/** How a call finished that the provider says has failed; what it says meanwhile is part of no answer. */
const finishAfterError = async (parts: AsyncIterator<StreamPart>): Promise<PartOf<'finish'> | undefined> => {
  for (;;) {
    const next = await parts.next().catch(() => undefined); // that it breaks off now says nothing new
    if (!next || next.done) return undefined;
    if (next.value.type === 'finish') return next.value;
  }
};

const keepRaw = (run: Run, { rawChunks }: Attempt, part: StreamPart): void => {
  const chunk = modelCodec.toChunk(part, run.id);
  if (chunk) rawChunks.push({ type: chunk.type, payload: chunk.payload });
};

/** Adds a part to the answer, and lets it out or keeps it until the answer was judged. */
function* take(run: Run, { sending, attempt }: { sending: Sending; attempt: Attempt }, part: StreamPart): Generator<StreamPart> {
  if (part.type === 'finish') return; // leaves when the answer was judged
  attempt.gathering.add(part);
  const says = saysSomething(part);
  if ((says && run.hold === 'step') || waitsForReview.has(part.type)) attempt.held.push(part);
  else yield* send(sending, part);
}

/** Calls and what came of them leave with the judged answer: whoever gets a call may run its tool. */
const waitsForReview: ReadonlySet<string> = new Set(['tool-call', 'tool-result', 'tool-approval-request']);

function* send(sending: Sending, part: StreamPart): Generator<StreamPart> {
  if (saysSomething(part)) sending.hasLeft = true;
  yield* sending.wire.send(part);
}

/** Judges the whole answer and lets out what waited for that. */
async function* finishUp(run: Run, sending: Sending, attempt: Attempt): AsyncGenerator<StreamPart, Again | undefined> {
  const { finish, open, rawChunks, warnings, gathering } = attempt;
  if (attempt.failure || !finish) return yield* fail(run, sending, attempt);
  const { content } = gathering;
  const { model } = sending.call;
  const given = { open, model, content, finish, rawChunks, warnings, mayRetry: !sending.hasLeft };
  const reviewed = await review(run, given);
  if (reviewed.again !== undefined) return { feedback: reviewed.again, prompt: open.prompt };
  attempt.isUnedited = !attempt.came || isSame([...attempt.came.content], [...reviewed.content]);
  const held = attempt.isUnedited ? attempt.held : attempt.held.filter(({ type }) => type !== 'raw');
  const rest = reviewed.content === content ? held : editedParts(run, content, reviewed.content);
  for (const piece of reviewed.content) if (piece.type === 'tool-call') run.judgedCalls.add(piece.toolCallId);
  run.isAnswered = true;
  for (const part of rest) yield* send(sending, part);
  yield* sending.wire.end();
  yield finish;
  return undefined;
}

/** An edited answer as parts; where its words have left already, only calls may still be changed. */
const editedParts = (run: Run, before: readonly Content[], after: readonly Content[]): readonly StreamPart[] => {
  if (run.hold === 'step') return partsOfContent(after);
  const said = (content: readonly Content[]) => JSON.stringify(content.filter(({ type }) => !waitsForReview.has(type)));
  if (said(before) === said(after)) return partsOfContent(after.filter(({ type }) => waitsForReview.has(type)));
  throw lateEdit(run);
};

/** The provider failed while it answered: a guard may have the call made again, else that is what the caller is told. */
async function* fail(run: Run, sending: Sending, attempt: Attempt): AsyncGenerator<StreamPart, Again | undefined> {
  const { open, failure } = attempt;
  sending.call.signal.throwIfAborted();
  const path = sending.call.model.modelId;
  const { error, isBroken } = failure ?? {
    error: new InterlockError('model/malformed-stream', { path, detail: 'no finish part came' }),
    isBroken: true,
  };
  const prompt = sending.hasLeft ? undefined : await recover(run, error, open.conversation);
  if (prompt) return { prompt };
  if (isBroken) throw error;
  yield* sending.wire.end();
  yield { type: 'error', error };
  if (attempt.finish) yield attempt.finish;
  return undefined;
}
