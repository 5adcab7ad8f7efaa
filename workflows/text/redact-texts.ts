import type { TextSpan } from '../../src/guard/pattern.js';

/** What to take out of a text, and what to put in its place. */
export interface Redaction<Span extends TextSpan = TextSpan> {
  /** The spans to replace: sorted, without overlaps. */
  find(text: string): Span[];
  replacement(span: Span, value: string): string;
}

/** Texts after redaction, with the spans that were replaced (their offsets count from where the redaction met them). */
export interface Redacted<Span extends TextSpan> {
  readonly texts: string[];
  readonly found: Span[];
}

/** A replacement can bring two halves of something new together; more rounds than this only a contradictory rule needs. */
const maxRounds = 8;

/**
 * Redacts texts that are shown one after another, such as the parts of a message. Each is redacted by itself first, then what
 * only the joined text shows: such a value is replaced where it starts, and what runs into the next texts is removed.
 * Repeated until nothing is found, so redacting twice changes nothing.
 */
export const redactTexts = <Span extends TextSpan>(texts: readonly string[], redaction: Redaction<Span>): Redacted<Span> => {
  const found: Span[] = [];
  let current = texts.map((text) => untilStable([text], redaction, found)[0] ?? '');
  if (current.length > 1) current = untilStable(current, redaction, found);
  return { texts: current, found };
};

const untilStable = <Span extends TextSpan>(texts: string[], redaction: Redaction<Span>, found: Span[]): string[] => {
  let current = texts;
  for (let round = 0; round < maxRounds; round++) {
    const spans = redaction.find(current.join(''));
    if (spans.length === 0) break;
    found.push(...spans);
    current = replaceSpans(current, spans, redaction.replacement);
  }
  return current;
};

const replaceSpans = <Span extends TextSpan>(
  texts: readonly string[],
  spans: readonly Span[],
  replacement: Redaction<Span>['replacement'],
): string[] => {
  const joined = texts.join('');
  let offset = 0;
  return texts.map((text) => {
    const from = offset;
    offset += text.length;
    let kept = '';
    let position = from;
    for (const span of spans) {
      if (span.end <= from || span.start >= offset) continue;
      kept += text.slice(position - from, Math.max(span.start, from) - from);
      if (span.start >= from) kept += replacement(span, joined.slice(span.start, span.end));
      position = Math.min(span.end, offset);
    }
    return kept + text.slice(position - from);
  });
};
