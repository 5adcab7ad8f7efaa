import { isPromise, whenReady, type Awaitable } from '../phase/awaitable.js';
import type { Pattern, TextSpan } from './pattern.js';

/** So many UTF-16 units of text are read before other work of the process has its turn. */
export const stepChars = 16_384;

/** The platform's own, also where a test puts a clock of its own in its place later; browsers have no `setImmediate`. */
const soon: (act: () => void) => unknown = globalThis.setImmediate ?? globalThis.setTimeout;

/** Gives other work of the process its turn: timers, sockets and files, not only promises that are settled. */
export const turn = (): Promise<void> => new Promise((resolve) => void soon(resolve));

/** The most parts of a stream that pass between two turns of other work, and the most time. The clock is asked now and then. */
const mostParts = 256;
const mostMs = 4;
const partsPerLook = 16;

/**
 * To be called for each part of a stream: gives other work its turn now and then, since a source that is always ready would keep the
 * process to itself.
 */
export const createTurns = (): (() => Promise<void> | undefined) => {
  let [parts, since] = [0, performance.now()];
  return () => {
    parts += 1;
    if (parts % partsPerLook !== 0 || (parts < mostParts && performance.now() - since < mostMs)) return undefined;
    return turn().then(() => void ([parts, since] = [0, performance.now()]));
  };
};

/** Counts what is read of the texts of one question, so that many short ones do not block the process either. */
interface Pace {
  /** Whether so many more units may be read at once; they count as read. */
  mayRead(chars: number): boolean;
  /** Gives other work its turn, after which a step may be read again. */
  turn(): Promise<void>;
}

export const createPace = (): Pace => {
  let left = stepChars;
  return {
    mayRead: (chars) => (left -= chars) >= 0,
    turn: async () => {
      await turn();
      left = stepChars;
    },
  };
};

/** What finds values in a text. */
type Finding<Span extends TextSpan> = Pick<Pattern<Span>, 'find' | 'isStepwise'>;

/** Does the same with each of a list, one after another; without waiting where nothing has to be waited for. */
export const inTurn = <T, R>(items: readonly T[], act: (item: T, index: number) => Awaitable<R>): Awaitable<R[]> => {
  const results: R[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const result = act(items[index] as T, index); // as the loop's bounds say
    if (isPromise(result)) return goOn(items, act, { results, first: result });
    results.push(result);
  }
  return results;
};

const goOn = async <T, R>(
  items: readonly T[],
  act: (item: T, index: number) => Awaitable<R>,
  { results, first }: { results: R[]; first: Promise<R> },
): Promise<R[]> => {
  results.push(await first);
  for (let index = results.length; index < items.length; index += 1) results.push(await act(items[index] as T, index)); // as above
  return results;
};

/** Changes texts; `map` changes those inside a value, and meets the same ones in the same order whatever they become. */
export const changeTexts = <Value, Text = string>(
  map: (change: (text: Text) => Text) => Value,
  edit: (text: Text) => Awaitable<Text>,
): Awaitable<Value> => {
  const texts: Text[] = [];
  const same = map((text) => {
    texts.push(text);
    return text;
  });
  return whenReady(inTurn(texts, edit), (edited) => {
    if (edited.every((text, index) => text === texts[index])) return same;
    const next = edited.values();
    return map((text) => next.next().value ?? text);
  });
};

/** Work that is done in steps: each is over in a few milliseconds, and tells before about how many characters it reads. */
export type Steps<Result> = Generator<number, Result, void>;

/** Does work without a pause. */
export const atOnce = <Result>(steps: Steps<Result>): Result => {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
};

/** Does work with pauses, in which other work of the process has its turn; a little of it is done at once. */
export const paced = <Result>(steps: Steps<Result>, pace: Pace): Awaitable<Result> => {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (pace.mayRead(value)) continue;
    return pace.turn().then(() => {
      pace.mayRead(value);
      return paced(steps, pace);
    });
  }
};

/** Shows each match in a text. */
export function* findingEach<Span extends TextSpan>(
  { find, isStepwise = false }: Finding<Span>,
  text: string,
  see: (span: Span) => void,
): Steps<void> {
  let end = 0;
  for (let from = 0; from < text.length; from = end) {
    end = isStepwise ? Math.min(text.length, from + stepChars) : text.length;
    yield end - from;
    for (const span of isStepwise ? find(text, from, end) : find(text, from)) {
      see(span);
      end = Math.max(end, span.end);
    }
  }
}

/** All matches in a text. */
export function* finding<Span extends TextSpan>(finder: Finding<Span>, text: string): Steps<readonly Span[]> {
  const spans: Span[] = [];
  yield* findingEach(finder, text, (span) => spans.push(span));
  return spans;
}

/** So much reading costs as much as one replacement: a hash, or a comparison with what was said before. */
export const replacementChars = 256;

/** A text with something else in place of each match; the same text where there is none. */
export function* replacing<Span extends TextSpan>(
  text: string,
  { pattern, replace }: { pattern: Finding<Span>; replace: (value: string, span: Span) => string },
): Steps<string> {
  const pieces: string[] = [];
  let at = 0;
  for (const span of yield* finding(pattern, text)) {
    yield replacementChars;
    pieces.push(text.slice(at, span.start), replace(text.slice(span.start, span.end), span));
    at = span.end;
  }
  return at === 0 ? text : pieces.join('') + text.slice(at);
}
