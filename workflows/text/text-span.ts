/** A stretch of a text: UTF-16 offsets, `end` exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

/** Sorts spans and joins those that overlap; `prefer` picks which of two keeps its other fields. */
export const mergeSpans = <Span extends TextSpan>(spans: readonly Span[], prefer: (a: Span, b: Span) => Span): Span[] => {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last && span.start < last.end)
      merged[merged.length - 1] = { ...prefer(last, span), start: last.start, end: Math.max(last.end, span.end) };
    else merged.push(span);
  }
  return merged;
};
