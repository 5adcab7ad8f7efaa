import { isPromise, whenReady, type Awaitable } from '../phase/awaitable.js';
import type { Pattern, TextSpan } from './pattern.js';

/** Number of UTF-16 units of text that are read before other work of the process has its turn. */
export const stepChars = 16_384;

/** The platform's own, even if a test installs a fake clock later; browsers have no `setImmediate`. */
const soon: (act: () => void) => unknown = globalThis.setImmediate ?? globalThis.setTimeout;

/** Gives other work of the process its turn: timers, sockets and files, not only settled promises. */
export const turn = (): Promise<void> => new Promise((resolve) => void soon(resolve));

/**
 * Maximum number of stream parts, and maximum time, between two turns of other work. The clock is read once every `partsPerCheck` parts.
 */
const mostParts = 256;
const mostMs = 4;
const partsPerCheck = 16;

/**
 * Creates a function to call for each part of a stream: it regularly gives other work its turn, because a source that is always ready
 * would block the process.
 */
export const createTurns = (): (() => Promise<void> | undefined) => {
  let [parts, since] = [0, performance.now()];
  return () => {
    parts += 1;
    if (parts % partsPerCheck !== 0 || (parts < mostParts && performance.now() - since < mostMs)) return undefined;
    return turn().then(() => void ([parts, since] = [0, performance.now()]));
  };
};

export const createPace = () => {
  let remaining = stepChars;
  return {
    /** Whether this many more units may be read at once; they then count as read. */
    mayRead: (chars: number) => (remaining -= chars) >= 0,
    /** Gives other work its turn, after which a step may be read again. */
    turn: async () => {
      await turn();
      remaining = stepChars;
    },
  };
};

/** Finds values in a text. */
type Finding<Span extends TextSpan> = Pick<Pattern<Span>, 'find' | 'isStepwise' | 'prepare' | 'labelled' | 'rest'>;

/** Applies a function to each item, one after another; stays synchronous if all results are. */
export const inTurn = <T, R>(items: readonly T[], act: (item: T, index: number) => Awaitable<R>): Awaitable<R[]> => {
  const results: R[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const result = act(items[index] as T, index); // within the loop's bounds
    if (isPromise(result)) return runAsync(items, act, { results, first: result });
    results.push(result);
  }
  return results;
};

const runAsync = async <T, R>(
  items: readonly T[],
  act: (item: T, index: number) => Awaitable<R>,
  { results, first }: { results: R[]; first: Promise<R> },
): Promise<R[]> => {
  results.push(await first);
  for (let index = results.length; index < items.length; index += 1) results.push(await act(items[index] as T, index)); // as above
  return results;
};

/** Changes texts; `map` changes those inside a value, and visits them in the same order whatever the changes. */
export const changeTexts = <Value, Text = string>(
  map: (change: (text: Text, label?: string) => Text) => Value,
  edit: (text: Text, label?: string) => Awaitable<Text>,
): Awaitable<Value> => {
  const texts: { readonly text: Text; readonly label: string | undefined }[] = [];
  const same = map((text, label) => {
    texts.push({ text, label });
    return text;
  });
  const editing = inTurn(texts, ({ text, label }) => edit(text, label));
  return whenReady(editing, (edited) => {
    if (edited.every((text, index) => text === texts[index]?.text)) return same;
    const next = edited.values();
    return map((text) => next.next().value ?? text);
  });
};

/** Work in steps of a few milliseconds; each step first yields the approximate number of characters it will read, or its wait. */
export type Steps<Result> = Generator<number | Promise<void>, Result, void>;

/** Runs work without a pause. */
export const atOnce = <Result>(steps: Steps<Result>): Result => {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
};

/** Runs work with pauses for other work of the process; a small amount runs without one. */
export const paced = <Result>(steps: Steps<Result>, pace: ReturnType<typeof createPace>): Awaitable<Result> => {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (typeof value !== 'number') return value.then(() => paced(steps, pace));
    if (pace.mayRead(value)) continue;
    return pace.turn().then(() => {
      pace.mayRead(value);
      return paced(steps, pace);
    });
  }
};

/** Visits each match in a text. */
export function* findingEach<Span extends TextSpan>(
  { find, isStepwise = false, prepare, rest }: Finding<Span>,
  text: string,
  see: (span: Span) => void,
): Steps<void> {
  for (let wait = prepare?.(text); wait; wait = prepare?.(text)) yield wait;
  let end = 0;
  for (let from = 0; from < text.length; from = end) {
    end = isStepwise ? Math.min(text.length, from + stepChars) : text.length;
    yield end - from;
    let last = from;
    const seeNew = (span: Span | undefined): void => {
      if (!span || span.end <= last) return;
      see(span.start < last ? { ...span, start: last } : span);
      last = span.end;
      seeNew(rest?.(text, last, span));
    };
    (isStepwise ? find(text, from, end) : find(text, from)).forEach(seeNew);
    end = Math.max(end, last);
  }
}

/** All matches in a text; `label` is the key of the field that contains it. */
export function* finding<Span extends TextSpan>(finder: Finding<Span>, text: string, label?: string): Steps<readonly Span[]> {
  const spans: Span[] = [];
  yield* findingEach(finder, text, (span) => spans.push(span));
  const labelled = label === undefined ? undefined : finder.labelled?.(text, label);
  if (!labelled) return spans;
  const more = finder.rest?.(text, labelled.end, labelled);
  return more ? withLabelled(withLabelled(spans, labelled), more) : withLabelled(spans, labelled);
}

/** Adds a match to others. With those that overlap it, it becomes one. */
const withLabelled = <Span extends TextSpan>(spans: readonly Span[], labelled: Span): Span[] => {
  const before = spans.filter(({ end }) => end <= labelled.start);
  const after = spans.filter(({ start }) => start >= labelled.end);
  const overlapping = spans.slice(before.length, spans.length - after.length);
  const start = Math.min(labelled.start, ...overlapping.map((span) => span.start));
  const end = Math.max(labelled.end, ...overlapping.map((span) => span.end));
  return [...before, { ...(overlapping[0] ?? labelled), start, end }, ...after];
};

/** Cost of one replacement, in characters read: a hash, or a comparison with earlier text. */
export const replacementChars = 256;

/** Replaces each match in a text; returns the same text if there is none. */
export function* replacing<Span extends TextSpan>(
  text: string,
  { pattern, replace }: { pattern: Finding<Span>; replace: (value: string, span: Span) => string },
  label?: string,
): Steps<string> {
  const pieces: string[] = [];
  let at = 0;
  for (const span of yield* finding(pattern, text, label)) {
    yield replacementChars;
    pieces.push(text.slice(at, span.start), replace(text.slice(span.start, span.end), span));
    at = span.end;
  }
  return at === 0 ? text : pieces.join('') + text.slice(at);
}
