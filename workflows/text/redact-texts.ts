import { finding, replacementChars, type Steps } from '../../src/guard/in-steps.js';
import type { Pattern, TextSpan } from '../../src/guard/pattern.js';

/** The values to remove from a text, and their replacements. */
export interface Redaction<Span extends TextSpan = TextSpan> extends Pick<Pattern<Span>, 'find' | 'isStepwise' | 'prepare'> {
  replacement(span: Span, value: string): string;
}

/** Texts after redaction, with the replaced spans; offsets refer to the text at the time of the replacement. */
interface Redacted<Span extends TextSpan> {
  readonly texts: readonly string[];
  readonly found: Span[];
}

/** A replacement can join two halves of a new value. Only a contradictory rule needs more rounds than this. */
const maxRounds = 8;

/**
 * Redacts texts that are shown one after another, such as the parts of a message. Each is redacted separately first, then the values
 * that only the joined text contains: such a value is replaced at its start, and its rest in the next texts is removed.
 * Repeated until nothing is found, so redacting twice changes nothing. Long texts are read step by step.
 */
export function* redactingTexts<Span extends TextSpan>(
  texts: readonly string[],
  redaction: Redaction<Span>,
): Steps<Redacted<Span>> {
  const redacting = { redaction, found: [] };
  const alone: string[] = [];
  for (const text of texts) alone.push(...(yield* untilStable([text], redacting)));
  return { texts: alone.length > 1 ? yield* untilStable(alone, redacting) : alone, found: redacting.found };
}

interface Redacting<Span extends TextSpan> {
  readonly redaction: Redaction<Span>;
  /** Collects the findings. */
  readonly found: Span[];
}

function* untilStable<Span extends TextSpan>(
  given: readonly string[],
  { redaction, found }: Redacting<Span>,
): Steps<readonly string[]> {
  let texts = given;
  for (let round = 0; round < maxRounds; round += 1) {
    const joined = texts.join('');
    const isReplaced = (span: Span): boolean => {
      const value = joined.slice(span.start, span.end);
      return redaction.replacement(span, value) !== value;
    };
    const all = yield* finding(redaction, joined);
    const spans = round === 0 ? all : all.filter(isReplaced);
    if (spans.length === 0) break;
    for (const span of spans) found.push(span);
    texts = yield* replacingSpans(texts, { joined, spans, redaction });
  }
  return texts;
}

function* replacingSpans<Span extends TextSpan>(
  texts: readonly string[],
  { joined, spans, redaction }: { joined: string; spans: readonly Span[]; redaction: Redaction<Span> },
): Steps<string[]> {
  const replaced: string[] = [];
  let offset = 0;
  /** The first span that ends after the start of the text. */
  let first = 0;
  for (const text of texts) {
    const from = offset;
    offset += text.length;
    const redacted: string[] = [];
    let position = from;
    while (first < spans.length && (spans[first] as Span).end <= from) first += 1; // by the condition
    for (let index = first; index < spans.length; index += 1) {
      const span = spans[index] as Span; // as above
      if (span.start >= offset) break;
      yield replacementChars;
      if (span.start > position) redacted.push(text.slice(position - from, span.start - from));
      if (span.start >= from) redacted.push(redaction.replacement(span, joined.slice(span.start, span.end)));
      position = Math.min(span.end, offset);
    }
    replaced.push(redacted.join('') + text.slice(position - from));
  }
  return replaced;
}
