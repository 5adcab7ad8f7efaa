import { InterlockError } from '../errors.js';
import type { Outcome } from '../loop/outcome.js';
import type { WorkName } from '../loop/work-names.js';
import type { Retry } from '../verdict.js';
import { isPromise } from '../phase/awaitable.js';
import { isSame } from '../phase/plain-data.js';
import { modelCodec } from './chunks.js';
import { follow, followRetry } from './follow.js';
import { judgedInput } from './judge-input.js';
import {
  finishAfterError,
  keepsRecord,
  openCall,
  recover,
  request,
  type Asked,
  type ModelCall,
  type OpenCall,
} from './model-call.js';
import { isClientCall, lateEdit, review } from './review.js';
import type { Run } from './run.js';
import type { Chunk, Content, PartOf, Prompt, StreamPart } from './spec.js';
import { ruledPart } from './call-rulings.js';
import { createStreamLane, type Passed, type StreamLane } from './stream-lane.js';
import { createGathering, createWire, partsOfContent, saysSomething, type Gathering, type Wire } from './wire.js';

/** One call of the guarded model, through all its attempts. */
export interface Sending {
  readonly call: ModelCall;
  readonly wire: Wire;
  /** What the model is to be sent, without feedback. */
  prompt?: Prompt;
  /** What a guard said against the attempt before. */
  feedback?: string;
  asked?: Asked;
  /** The call that the answer comes from. */
  open?: OpenCall;
  attempt: Attempt;
  /** What the call failed with; `isBroken` where it broke off, and the provider did not report that itself. */
  failure?: { readonly error: unknown; readonly isBroken: boolean };
  /** Whether guards left the answer as it came: then the provider's own record of it says nothing that they took out. */
  isUnedited: boolean;
  /** Whether words have left: they cannot be taken back, so that the attempt is the last. */
  hasLeft: boolean;
  hasStarted: boolean;
}

/** One attempt at a call. */
interface Attempt {
  readonly gathering: Gathering;
  /** What the provider said before the stream's guards, where anything is told of that. */
  readonly came: Gathering | undefined;
  /** Parts that wait for the whole answer to be judged. */
  readonly held: StreamPart[];
  readonly rawChunks: Chunk[];
  warnings: readonly unknown[];
  finish?: PartOf<'finish'>;
}

/** The provider has begun to answer; comes before the parts of each attempt. */
export interface Opened {
  readonly type: 'opened';
}

type Parts<R> = AsyncGenerator<StreamPart | Opened, R>;
/** How a piece of work ended: what the machine is told, or the retry that a guard asks for. */
type Ended = Outcome | Retry;

export const createSending = (run: Run, call: ModelCall): Sending => ({
  call,
  wire: createWire(),
  attempt: createAttempt(run, call),
  isUnedited: false,
  hasLeft: false,
  hasStarted: false,
});

const createAttempt = (run: Run, call: ModelCall): Attempt => {
  const came = keepsRecord(run, call) ? createGathering() : undefined;
  return { came, gathering: createGathering(), held: [], rawChunks: [], warnings: [] };
};

/**
 * A guarded model's answer, part by part, as the loop's machine decides it: from the request to the reviewed step, with its retries and
 * recoveries. Tool calls leave when the whole answer was judged, words then or when they come, as the run holds them. Throws what ends
 * the run, and what the provider's call broke off with, where no guard mends that; a failure that the provider reports itself is a part,
 * and how the call finished follows it.
 */
export async function* guardedParts(run: Run, sending: Sending): Parts<void> {
  for (let work: WorkName | undefined = 'prepare'; isOfCall(work);) {
    const ended: Ended = yield* perform(run, sending, work);
    if ('processorId' in ended) sending.feedback = ended.reason;
    work = 'processorId' in ended ? followRetry(run, ended) : follow(run, work, ended);
  }
  const { failure, attempt, wire } = sending;
  if (!failure) return; // the AI SDK runs the tools, and decides about the next step
  if (failure.isBroken) throw failure.error;
  yield* wire.end();
  yield { type: 'error', error: failure.error };
  if (attempt.finish) yield attempt.finish;
}

/** The caller's messages are judged before the first attempt; `processInputStep` is the AI SDK's `prepareStep`. */
const prepare = async (run: Run, sending: Sending): Promise<Ended> => {
  sending.prompt ??= (await judgedInput(run, sending.call.params.prompt)) as Prompt; // made of a prompt
  return { kind: 'done' };
};

const ask = async (run: Run, sending: Sending): Promise<Ended> => {
  const { call, prompt = [], feedback } = sending;
  sending.failure = undefined;
  const asked = await request(run, call, { prompt, feedback });
  if ('retry' in asked) return asked.retry;
  sending.asked = asked;
  return { kind: 'done' };
};

async function* answer(run: Run, sending: Sending): Parts<Ended> {
  const { call } = sending;
  const attempt = (sending.attempt = createAttempt(run, call));
  try {
    sending.open = await openCall(run, call, sending.asked as Asked); // the machine comes here from the request
  } catch (error) {
    sending.failure = { error, isBroken: true };
  }
  if (!sending.failure) yield { type: 'opened' };
  const retry = sending.failure ? undefined : yield* pump(run, sending);
  if (retry) return retry;
  if (!sending.failure && attempt.finish) return { kind: 'done' };
  call.signal.throwIfAborted();
  const malformed = () =>
    new InterlockError('model/malformed-stream', { path: call.model.modelId, detail: 'no finish part came' });
  sending.failure ??= { error: malformed(), isBroken: true };
  return { kind: 'api-error' };
}

/** A guard may have a failed call made again, as long as nothing of it has left. */
const mend = async (run: Run, sending: Sending): Promise<Ended> => {
  if (sending.hasLeft || !sending.asked) return { kind: 'give-up' };
  const { prompt, retry } = await recover(run, sending.failure?.error, sending.asked.conversation);
  if (retry) return retry;
  sending.prompt = prompt ?? sending.prompt;
  return { kind: prompt ? 'same-model' : 'give-up' };
};

const works = { prepare, request: ask, recover: mend };
/** The machine's works that one call of the model does. */
type CallWork = keyof typeof works | 'call' | 'review';

const isOfCall = (work: WorkName | undefined): work is CallWork =>
  work === 'call' || work === 'review' || (work !== undefined && Object.hasOwn(works, work));

/** Those of the answer let parts out while they are done. */
async function* perform(run: Run, sending: Sending, work: CallWork): Parts<Ended> {
  if (work === 'call') return yield* answer(run, sending);
  if (work === 'review') return yield* finishUp(run, sending);
  return works[work](run, sending);
}

/** Takes the model's parts through the guards of the stream, to their end. */
async function* pump(run: Run, sending: Sending): Parts<Retry | undefined> {
  const open = sending.open as OpenCall; // see answer
  const lane = createStreamLane<StreamPart>(run, {
    codec: modelCodec,
    messageList: open.conversation.list,
    mayRetry: () => !sending.hasLeft,
    rule: (chunk) => ruledPart(run, chunk),
  });
  const parts = lane.watch(open.parts)[Symbol.asyncIterator]();
  const letOut = function* (passed: Passed<StreamPart>): Generator<StreamPart> {
    for (const left of passed.parts) yield* take(run, sending, left);
  };
  /** What guards clear while nothing comes leaves then. */
  const meanwhile = <T>(waiting: Promise<T>) => untilSettled(waiting, lane, (cleared) => letOut({ parts: cleared }));
  try {
    for (;;) {
      const part = yield* meanwhile(nextPart(run, sending, parts));
      if (!part) break;
      if (part.type === 'stream-start') {
        yield* start(sending, part);
        continue;
      }
      const pushed = lane.push(part);
      const passed = isPromise(pushed) ? yield* meanwhile(pushed) : pushed;
      yield* letOut(passed);
      if (passed.retry) return passed.retry;
    }
    if (sending.failure) return undefined;
    const ending = lane.end();
    const last = isPromise(ending) ? yield* meanwhile(ending) : ending;
    yield* letOut(last);
    return last.retry;
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
const nextPart = async (run: Run, sending: Sending, parts: AsyncIterator<StreamPart>): Promise<StreamPart | undefined> => {
  const { attempt } = sending;
  try {
    for (;;) {
      const { done, value } = await parts.next();
      run.throwIfStopped();
      if (done) return undefined;
      if (value.type === 'error') {
        sending.failure = { error: value.error, isBroken: false };
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
    sending.failure = { error, isBroken: true };
    return undefined;
  }
};

const keepRaw = (run: Run, { rawChunks }: Attempt, part: StreamPart): void => {
  const chunk = modelCodec.toChunk(part, run.id);
  if (chunk) rawChunks.push({ type: chunk.type, payload: chunk.payload });
};

/** Adds a part to the answer, and lets it out or keeps it until the answer was judged. */
function* take(run: Run, sending: Sending, part: StreamPart): Generator<StreamPart> {
  const { attempt } = sending;
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
async function* finishUp(run: Run, sending: Sending): Parts<Ended> {
  const { attempt, call, wire, open } = sending as Sending & { open: OpenCall }; // the machine comes here from the call
  const { rawChunks, warnings, gathering, came } = attempt;
  const finish = attempt.finish as PartOf<'finish'>; // as above
  const { content } = gathering;
  const given = { open, model: call.model, content, finish, rawChunks, warnings, mayRetry: !sending.hasLeft };
  const reviewed = await review(run, given);
  if (reviewed.retry) return reviewed.retry;
  sending.isUnedited = !came || isSame([...came.content], [...reviewed.content]);
  const held = sending.isUnedited ? attempt.held : attempt.held.filter(({ type }) => type !== 'raw');
  const rest = reviewed.content === content ? held : editedParts(run, content, reviewed.content);
  for (const piece of reviewed.content) if (piece.type === 'tool-call') run.judgedCalls.add(piece.toolCallId);
  run.isAnswered = true;
  for (const part of rest) yield* send(sending, part);
  yield* wire.end();
  yield finish;
  return { kind: 'reviewed', toolCalls: reviewed.content.filter(isClientCall).length };
}

/** An edited answer as parts; where its words have left already, only calls may still be changed. */
const editedParts = (run: Run, before: readonly Content[], after: readonly Content[]): readonly StreamPart[] => {
  if (run.hold === 'step') return partsOfContent(after);
  const said = (content: readonly Content[]) => JSON.stringify(content.filter(({ type }) => !waitsForReview.has(type)));
  if (said(before) === said(after)) return partsOfContent(after.filter(({ type }) => waitsForReview.has(type)));
  throw lateEdit(run);
};
