import { diffWordsWithSpace } from 'diff';

/** Base characters `start` (inclusive) to `end` (exclusive) become `text`. Positions are UTF-16 code units of the base. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** What changed from one text to another, as disjoint spans over the base in ascending order. */
export const spansBetween = (base: string, edited: string): Span[] => {
  const spans: Span[] = [];
  let at = 0;
  let open: Span | undefined;
  const close = () => {
    if (open) spans.push(open);
    open = undefined;
  };
  for (const { value, added, removed } of diffWordsWithSpace(base, edited)) {
    if (!added && !removed) {
      close();
      at += value.length;
      continue;
    }
    open ??= { start: at, end: at, text: '' };
    if (removed) {
      at += value.length;
      open = { ...open, end: at };
    } else open = { ...open, text: open.text + value };
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

/** Groups spans that share base characters, or insert at the same place; each group covers one stretch of the base. */
export const groupOverlapping = <S extends Span>(spans: readonly S[]): S[][] => {
  const sorted = spans.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const groups: S[][] = [];
  let reach = -1;
  for (const span of sorted) {
    const last = groups.at(-1);
    const inserts = last?.some((other) => other.start === span.start && (other.start === other.end || span.start === span.end));
    if (last && (span.start < reach || inserts)) last.push(span);
    else groups.push([span]);
    reach = Math.max(reach, span.end);
  }
  return groups;
};

const words = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

/** How many words of a stretch of the base a replacement lets live. */
export const survivors = (stretch: string, replacement: string): number => {
  const kept = new Set(words(replacement));
  return words(stretch).filter((word) => kept.has(word)).length;
};
