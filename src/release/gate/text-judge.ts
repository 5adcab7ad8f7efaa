import { InterlockError } from '../../errors.js';
import type { Guard } from '../../guard/in-sequence.js';
import type { Window } from '../../guard/pattern.js';
import { isPromise } from '../../phase/awaitable.js';
import type { PhaseData } from '../../phase/row.js';
import { pass, type Author, type Verdict } from '../../verdict.js';
import type { Chunk, Lane } from './chunk.js';
import { createMatcher, type Matcher } from './matcher.js';
import { append, rawOf, takeText, textOf, type Segment } from './segment.js';
import type { Gate, TextStage, WindowChunk } from './text-stage.js';
import { windowEnd } from './window-end.js';

/** A guard of the stream with a window. */
export interface TextGuard {
  readonly author: Author;
  readonly window: Window;
  /** Judges one window, given as a delta of its text. */
  readonly guard: Guard<'outputStream'>;
}

/** One text as far as this guard has not let it go. */
interface Held {
  readonly lane: Lane;
  readonly segments: Segment[];
  /** How they read. */
  text: string;
  /** For a pattern: what it knows of the text. */
  readonly matcher: Matcher | undefined;
  isEnded: boolean;
}

/** What is to happen to the beginning of a held text. */
interface Job {
  readonly held: Held;
  readonly length: number;
  /** What the guard is asked; nothing where there is nothing to ask. */
  readonly chunk: WindowChunk | undefined;
}

/** How many of its windows a hook is shown again as `streamParts`. */
const keptWindows = 64;

/**
 * One guard's place in the stream: it holds each text until its window is whole, asks the guard about one window at a time, and
 * passes on what the guard leaves of it. What gathers while the guard is busy becomes one window.
 */
export const createTextJudge = ({ author, window, guard }: TextGuard, gate: Gate, next: TextStage): TextStage => {
  const texts = new Map<string, Held>();
  let isBusy = false;
  let isLate = false;
  let isStepOver = false;

  const open = (lane: Lane): Held => {
    const matcher = typeof window === 'object' && 'pattern' in window ? createMatcher(window.pattern) : undefined;
    const held: Held = { lane, segments: [], text: '', matcher, isEnded: false };
    texts.set(lane.key, held);
    return held;
  };
  const find = (lane: Lane): Held => texts.get(lane.key) ?? open(lane);

  const jobFor = (held: Held): Job | undefined => {
    const { text, matcher, isEnded } = held;
    if (text === '') return undefined;
    if (!matcher) {
      const length = windowEnd(window as Exclude<Window, { pattern: unknown }>, { text, isEnded, isStepOver, isLate }); // it has no matcher
      return length > 0 ? { held, length, chunk: held.lane.chunkOf(text.slice(0, length)) } : undefined;
    }
    const startedAt = gate.scope.now();
    const found = matcher.next(text, isEnded);
    if (!found) return undefined;
    const { length, match } = found;
    if (match) return { held, length, chunk: { ...held.lane.chunkOf(text.slice(0, length)), match } };
    gate.scope.reportGuard({ author, verdict: pass, durationMs: gate.scope.now() - startedAt });
    return { held, length, chunk: undefined };
  };

  const nextJob = (): Job | undefined => {
    for (const held of texts.values()) {
      const job = jobFor(held);
      if (job) return job;
      if (held.text === '') passOn(held);
    }
    return undefined;
  };

  /** Nothing is left to judge: what was edited away before it came here goes on, and so does the end. */
  const passOn = (held: Held): void => {
    for (const segment of held.segments.splice(0)) next.add(held.lane, segment);
    if (!held.isEnded) return;
    texts.delete(held.lane.key);
    next.end(held.lane);
  };

  const settle = ({ held, length, chunk }: Job, verdict: Verdict<PhaseData<'outputStream'>>): void => {
    const taken = takeText(held.segments, length);
    held.matcher?.move(held.text, length);
    held.text = held.text.slice(length);
    for (const segment of readAnswer({ taken, chunk, verdict })) next.add(held.lane, segment);
  };

  /** Settles a job with what the guard said; false where it stops the stream. */
  const take = (job: Job, verdict: Verdict<PhaseData<'outputStream'>>): boolean => {
    if (gate.isStopping && verdict.kind !== 'trip' && verdict.kind !== 'retry' && verdict.kind !== 'unavailable') return false;
    switch (verdict.kind) {
      case 'pass':
      case 'edit':
        try {
          settle(job, verdict);
          return true;
        } catch (error) {
          gate.stop({ kind: 'unavailable', ...author, error });
          return false;
        }
      case 'trip':
      case 'retry':
      case 'unavailable':
        gate.stop(verdict);
        return false;
      default:
        return verdict satisfies never;
    }
  };

  const ask = (job: Job): Verdict<PhaseData<'outputStream'>> | Promise<Verdict<PhaseData<'outputStream'>>> => {
    if (!job.chunk) return pass;
    const { streamParts } = gate.scope.slot(author.processorId);
    if (streamParts.length > keptWindows) streamParts.splice(0, streamParts.length - keptWindows);
    return guard(gate.payloadOf(job.chunk), gate.scope);
  };

  const wait = async (job: Job, pending: Promise<Verdict<PhaseData<'outputStream'>>>): Promise<void> => {
    isBusy = true;
    gate.begin();
    const verdict = await pending;
    isBusy = false;
    const goesOn = take(job, verdict);
    isLate = true;
    if (goesOn) work();
    isLate = false;
    gate.done();
  };

  const work = (): void => {
    while (!isBusy && !gate.isStopping) {
      const job = safeJob();
      if (!job) return;
      const pending = ask(job);
      if (isPromise(pending)) return void wait(job, pending);
      if (!take(job, pending)) return;
    }
  };

  /** A pattern is somebody else's code. */
  const safeJob = (): Job | undefined => {
    try {
      return nextJob();
    } catch (error) {
      gate.stop({ kind: 'unavailable', ...author, error });
      return undefined;
    }
  };

  return {
    add: (lane, segment) => {
      const held = find(lane);
      append(held.segments, segment);
      held.text += segment.text;
      work();
    },
    end: (lane) => {
      find(lane).isEnded = true;
      work();
    },
    endStep: () => {
      isStepOver = true;
      work();
      next.endStep();
    },
  };
};

interface Answered {
  readonly taken: readonly Segment[];
  readonly chunk: Chunk | undefined;
  readonly verdict: Verdict<PhaseData<'outputStream'>>;
}

/** What a guard left of a window. Raises `phase/invalid-result` where it answered with something else than a text. */
const readAnswer = ({ taken, chunk, verdict }: Answered): readonly Segment[] => {
  if (!chunk) return taken;
  // A hook may also write into the chunk it was given.
  const text = answeredText(verdict.kind === 'edit' ? (verdict.data.part as Chunk | null) : chunk, chunk);
  return text === textOf(taken) ? taken : [{ raw: rawOf(taken), text, isEdited: true }];
};

const answeredText = (answer: Chunk | null, asked: Chunk): string => {
  if (answer === null) return '';
  const { text } = (answer.payload ?? {}) as { text?: unknown };
  if (answer.type === asked.type && typeof text === 'string') return text;
  const detail = `it answered a window of type "${asked.type}" with a chunk of type "${answer.type}".`;
  throw new InterlockError('phase/invalid-result', { path: 'outputStream.part', detail });
};
