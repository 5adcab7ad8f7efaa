import { createPace, findAll, inTurn, type Pace } from '../../src/guard/in-steps.js';
import type { Pattern, TextSpan } from '../../src/guard/pattern.js';
import { whenReady, type Awaitable } from '../../src/phase/awaitable.js';

/** What to take out of a text, and what to put in its place. */
export interface Redaction<Span extends TextSpan = TextSpan> extends Pick<Pattern<Span>, 'find' | 'isStepwise'> {
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
 * Repeated until nothing is found, so redacting twice changes nothing. Long texts are read step by step.
 */
export const redactTexts = <Span extends TextSpan>(
  texts: readonly string[],
  redaction: Redaction<Span>,
  pace: Pace = createPace(),
): Awaitable<Redacted<Span>> => {
  const found: Span[] = [];
  const stable = (each: readonly string[]) => untilStable(each, { redaction, pace, found });
  const alone = inTurn(texts, (text) => whenReady(stable([text]), ([redacted = '']) => redacted));
  return whenReady(
    whenReady(alone, (current) => (current.length > 1 ? stable(current) : current)),
    (current) => ({ texts: current, found }),
  );
};

interface Redacting<Span extends TextSpan> {
  readonly redaction: Redaction<Span>;
  readonly pace: Pace;
  /** What was found is added to it. */
  readonly found: Span[];
}

const untilStable = <Span extends TextSpan>(
  texts: readonly string[],
  redacting: Redacting<Span>,
  round = 0,
): Awaitable<string[]> => {
  const { redaction, pace, found } = redacting;
  if (round === maxRounds) return [...texts];
  const joined = texts.join('');
  const isReplaced = (span: Span): boolean => {
    const value = joined.slice(span.start, span.end);
    return redaction.replacement(span, value) !== value;
  };
  return whenReady(findAll(redaction, joined, pace), (all) => {
    const spans = round === 0 ? all : all.filter(isReplaced);
    if (spans.length === 0) return [...texts];
    for (const span of spans) found.push(span);
    return untilStable(replaceSpans(texts, spans, redaction.replacement), redacting, round + 1);
  });
};

const replaceSpans = <Span extends TextSpan>(
  texts: readonly string[],
  spans: readonly Span[],
  replacement: Redaction<Span>['replacement'],
): string[] => {
  const joined = texts.join('');
  let offset = 0;
  /** The first span that does not end before the text. */
  let first = 0;
  return texts.map((text) => {
    const from = offset;
    offset += text.length;
    const kept: string[] = [];
    let position = from;
    while (first < spans.length && (spans[first] as Span).end <= from) first += 1; // as the condition says
    for (let index = first; index < spans.length; index += 1) {
      const span = spans[index] as Span; // as above
      if (span.start >= offset) break;
      if (span.start > position) kept.push(text.slice(position - from, span.start - from));
      if (span.start >= from) kept.push(replacement(span, joined.slice(span.start, span.end)));
      position = Math.min(span.end, offset);
    }
    return kept.join('') + text.slice(position - from);
  });
};
