import { diffArrays } from 'diff';
import { tokensOf } from './words.js';

/** Base characters `start` (inclusive) to `end` (exclusive) become `text`. Positions are UTF-16 code units of the base. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Texts that differ in more tokens than this are taken as written anew: looking for what they share costs the square of it. */
const maxEditLength = 1_000;

/** What changed from one text to another, as disjoint spans over the base in ascending order, by whole words. */
export const spansBetween = (base: string, edited: string): Span[] => {
  const changes = diffArrays(tokensOf(base), tokensOf(edited), { maxEditLength });
  if (!changes) return [{ start: 0, end: base.length, text: edited }];
  const spans: Span[] = [];
  let at = 0;
  let open: Span | undefined;
  const close = () => {
    if (open) spans.push(open);
    open = undefined;
  };
  for (const { value, added, removed } of changes) {
    const text = value.join('');
    if (!added && !removed) {
      close();
      at += text.length;
      continue;
    }
    open ??= { start: at, end: at, text: '' };
    if (removed) {
      at += text.length;
      open = { ...open, end: at };
    } else open = { ...open, text: open.text + text };
  }
  close();
  return spans;
};

/** The base with disjoint, ascending spans applied. */
export const applySpans = (base: string, spans: readonly Span[]): string => {
  let at = 0;
  let out = '';
  for (const { start, end, text } of spans) {
    out += base.slice(at, start) + text;
    at = end;
  }
  return out + base.slice(at);
};

/**
 * Groups spans that share base characters, and those that insert at one place. What is inserted right before or after a stretch
 * does not touch it, so that the two stand apart, the insertion in front.
 */
export const groupOverlapping = <S extends Span>(spans: readonly S[]): S[][] => {
  const sorted = spans.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const groups: S[][] = [];
  let reach = -1;
  for (const span of sorted) {
    const last = groups.at(-1);
    const isSamePlace = span.start === span.end && last?.[0]?.start === span.start && reach === span.start;
    if (last && (span.start < reach || isSamePlace)) last.push(span);
    else groups.push([span]);
    reach = Math.max(reach, span.end);
  }
  return groups;
};
