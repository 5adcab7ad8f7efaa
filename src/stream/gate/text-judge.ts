import { InterlockError } from '../../errors.js';
import { stepChars, turn } from '../../guard/in-steps.js';
import type { Pattern } from '../../guard/pattern.js';
import { isPromise, whenReady, type Awaitable } from '../../phase/awaitable.js';
import type { PhaseData, ProcessorSlot } from '../../phase/row.js';
import type { JudgePlace } from '../../pipeline/stream-plan.js';
import { isStop, pass, type Verdict } from '../../verdict.js';

import { followTails, tailsOf, type Tails } from './matcher.js';
import { chunkIn, type Chunk } from './chunk.js';
import { graphemeFloor } from './window-reader.js';
import { createBufferedTexts, type Action } from './buffered-texts.js';
import type { Gate, TextStage } from './stages.js';
import { fieldsIn, computed } from '../../phase/plain-data.js';

type StreamVerdict = Verdict<PhaseData<'outputStream'>>;
type Question = Extract<Action, { kind: 'judge' }>;

/** The minimum cost of an action, in characters; a pattern searches the end of its buffer again, for each kind of value. */
const actionChars = 16;
const patternChars = 512;

/** The number of earlier windows that a hook gets as `streamParts`. */
const maxEarlierWindows = 64;

/**
 * One guard's stage in the stream: it buffers each text until its window is complete, calls the guard for one window at a time, and
 * passes on the guard's version. Text that gathers while the guard is busy becomes one window.
 */
export const createTextJudge = (place: JudgePlace, gate: Gate, next: TextStage): TextStage => {
  const bufferedTexts = createBufferedTexts(place.window, ownTails(place, gate));
  const work = createWork({ place, bufferedTexts, gate, next });
  return {
    add: (segment) => {
      bufferedTexts.add(segment);
      work();
    },
    end: (lane) => {
      bufferedTexts.end(lane);
      work();
    },
    endStep: () => {
      bufferedTexts.endStep();
      work();
      next.endStep();
    },
  };
};

const patternIn = (window: JudgePlace['window']): Pattern | undefined =>
  typeof window === 'object' && 'pattern' in window ? window.pattern : undefined;

const tails = new WeakMap<ProcessorSlot, Tails>();

/**
 * The ends of the texts that the guard last released: a value may continue in the next part or step. A model's call continues the
 * accepted steps, not a rejected attempt.
 */
const ownTails = ({ window, author }: JudgePlace, gate: Gate): Tails => {
  const pattern = patternIn(window);
  if (!pattern) return new Map();
  const own = computed<object, Tails>(tails, gate.scope.slot(author.processorId), () => new Map());
  const texts = gate.earlierTexts();
  if (!texts) return own;
  own.clear();
  for (const text of texts) followTails(own, tailsOf(text, pattern), pattern);
  return own;
};

interface WorkOptions {
  readonly place: JudgePlace;
  readonly bufferedTexts: ReturnType<typeof createBufferedTexts>;
  readonly gate: Gate;
  readonly next: TextStage;
}

/** Performs all possible actions; continues by itself when the guard has responded. */
const createWork = (working: WorkOptions): (() => void) => {
  const { place, bufferedTexts, gate, next } = working;
  const least = patternIn(place.window) ? patternChars : actionChars;
  /** Whether the guard is busy, and the characters read since other work of the process had its turn. */
  let [isBusy, read] = [false, 0];
  /** Whether the guard stopped the stream: it is not called again. */
  let hasStopped = false;
  const after = async <T>(at: number, pending: Promise<T>, onSettled: (value: T) => void): Promise<void> => {
    isBusy = true;
    gate.start(at);
    const value = await pending;
    isBusy = false;
    gate.handOut(() => onSettled(value));
    gate.done(at);
  };
  /** Returns false if a verdict has to be awaited. */
  const perform = (action: Action): boolean => {
    if (action.kind === 'end') endText(action, working);
    if (action.kind === 'clear') for (const segment of action.segments) next.add(segment);
    if (action.kind !== 'judge') return true;
    const answer = whenReady(callGuard(action, place, gate), settling(action));
    if (!isPromise(answer)) answer();
    else
      void after(action.place, answer, (settle) => {
        attempt(settle);
        work(true);
      });
    return !isPromise(answer);
  };
  const settling = (question: Question) => (reply: GuardReply) => () => {
    hasStopped ||= isStop(reply.verdict);
    take(question, reply, working);
  };
  const pause = (isLate: boolean): void =>
    void after(Math.min(bufferedTexts.first(), gate.place), turn(), () => {
      read = 0;
      work(isLate);
    });
  const work = (isLate = false): void =>
    attempt(() => {
      while (!isBusy && !hasStopped && !gate.isStopped) {
        if (read >= stepChars) return pause(isLate);
        const action = nextAction(place, bufferedTexts, { gate, isLate });
        if (!action || (action.kind === 'judge' && gate.isStoppingBefore(action.place))) return;
        read += least + charsOf(action);
        if (!perform(action)) return;
      }
    });
  /** Runs application code: a pattern, or the handling of a hook's result. */
  const attempt = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      hasStopped = true;
      gate.stop({ kind: 'unavailable', ...place.author, error });
    }
  };
  return work;
};

const endText = ({ lane, passed }: Extract<Action, { kind: 'end' }>, { place, gate, next }: WorkOptions): void => {
  if (passed) patternIn(place.window)?.passed?.(passed, gate.scope.slot(place.author.processorId).state);
  next.end(lane);
};

const charsOf = (action: Action): number => {
  if (action.kind === 'judge') return action.text.length;
  return action.kind === 'clear' ? action.segments.reduce((sum, { text }) => sum + text.length, 0) : 0;
};

/** The next action. Text that a pattern clears without calling the hook is reported as a pass of its guard. */
const nextAction = (
  { author, window }: JudgePlace,
  bufferedTexts: ReturnType<typeof createBufferedTexts>,
  { gate: { scope }, isLate }: { gate: Gate; isLate: boolean },
): Action | undefined => {
  if (!patternIn(window)) return bufferedTexts.next(isLate);
  const startedAt = scope.now();
  const action = bufferedTexts.next(isLate);
  if (action?.kind === 'clear') scope.reportGuard({ author, verdict: pass, durationMs: scope.now() - startedAt });
  return action;
};

/** A guard's verdict on a chunk. */
interface GuardReply {
  readonly chunk: Chunk;
  readonly verdict: StreamVerdict;
}

const callGuard = (question: Question, { author, guard }: JudgePlace, gate: Gate): Awaitable<GuardReply> => {
  const { lane, text, match, before, earlier = '' } = question;
  const own = lane.chunkOf(earlier + text);
  const chunk = match || before ? { ...own, ...(match ? { match } : { before }) } : own;
  const { streamParts } = gate.scope.slot(author.processorId);
  if (streamParts.length > maxEarlierWindows) streamParts.splice(0, streamParts.length - maxEarlierWindows);
  return whenReady(guard(gate.payloadOf(chunk), gate.scope), (verdict) => ({ chunk, verdict }));
};

const take = (
  { lane, text, earlier = '', place: at }: Question,
  { chunk, verdict }: GuardReply,
  { bufferedTexts, gate, next }: WorkOptions,
): void => {
  if (isStop(verdict)) return gate.stop(verdict, at);
  // A hook may also have changed its chunk in place.
  const answer = verdict.kind === 'edit' ? chunkIn(verdict.data) : chunk;
  const edited = withoutEarlier(answeredText(answer, chunk), earlier, text);
  for (const segment of bufferedTexts.settle(lane, text, answer?.replacements ?? edited)) next.add(segment);
  return undefined;
};

/** The guard's version of a window from its first difference to the text that has left on. */
const withoutEarlier = (edited: string, earlier: string, text: string): string => {
  if (earlier === '') return edited;
  if (edited.endsWith(text)) return text;
  let at = 0;
  while (at < earlier.length && edited[at] === earlier[at]) at += 1;
  return edited.slice(graphemeFloor(edited, at, false));
};

/** The guard's version of a window. Raises `phase/invalid-result` if it is not a text. */
const answeredText = (answer: Chunk | null | undefined, judged: Chunk): string => {
  if (!answer) return '';
  const { text } = fieldsIn(answer.payload);
  if (answer.type === judged.type && typeof text === 'string') return text;
  const detail = `it answered a window of type "${judged.type}" with a chunk of type "${answer.type}".`;
  throw new InterlockError('phase/invalid-result', { path: 'outputStream.part', detail });
};
