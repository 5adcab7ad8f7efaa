import { InterlockError } from '../errors.js';
import { isPromise } from '../phase/awaitable.js';
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
  finish?: PartOf<'finish'>;
  /** What the provider failed with while it answered. */
  failure?: { readonly error: unknown };
}

/** The call that an answer finally came from. */
export interface LastCall {
  open: OpenCall;
}

/**
 * A guarded model's answer, part by part. Tool calls leave when the whole answer was judged, words then or when they come, as the
 * run holds them. Throws what ends the run; what the provider fails with is the last part, where no guard mends it.
 */
export async function* guardedParts(run: Run, call: ModelCall, last: LastCall): AsyncGenerator<StreamPart> {
  const sending: Sending = { call, wire: createWire(), hasLeft: false, hasStarted: false };
  for (;;) {
    const attempt: Attempt = { open: last.open, gathering: createGathering(), held: [], rawChunks: [], warnings: [] };
    const again = (yield* pump(run, sending, attempt)) ?? (yield* finishUp(run, sending, attempt));
    if (!again) return;
    last.open = await openCall(run, call, again);
  }
}

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
      if (value.type === 'error') throw value.error;
      if (value.type === 'raw' && guardsOutput(run)) continue;
      if (value.type === 'stream-start') attempt.warnings = value.warnings;
      if (value.type === 'finish') attempt.finish = value;
      if (run.plan.has('llmResponse')) keepRaw(run, attempt, value);
      return value;
    }
  } catch (error) {
    run.throwIfStopped();
    attempt.failure = { error };
    return undefined;
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
  const rest = reviewed.content === content ? attempt.held : editedParts(run, content, reviewed.content);
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
  const error = failure ? failure.error : new InterlockError('model/malformed-stream', { path, detail: 'no finish part came' });
  const prompt = sending.hasLeft ? undefined : await recover(run, error, open.conversation);
  if (prompt) return { prompt };
  yield { type: 'error', error };
  return undefined;
}
