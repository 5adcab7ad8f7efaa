import { byReach, compare, settle, type MergeTarget, type Version } from './overlap.js';
import { withoutMovedWords } from './placeholders.js';
import { applySpans, groupOverlapping, spansBetween, type Span } from './spans.js';
import { lostWords, textOf } from './words.js';

interface AuthoredSpan extends Span {
  readonly author: string;
}

/**
 * Merges several branches' versions of a text. Edits of different words are combined, insertions at one position are placed next to each
 * other, and if two branches edited the same words the rule decides. Under the default rule no word returns that one of the branches
 * removed from the text altogether, even if another branch moved it; placeholders stay.
 */
export const mergeTexts = (base: string, versions: readonly Version<string>[], place: MergeTarget): string => {
  const { options, target } = place;
  const isScrubbed = options.rule === 'widest-redaction';
  const lost = new Set(isScrubbed ? versions.flatMap(({ value }) => lostWords(base, value)) : []);
  const spans = versions
    .toSorted((a, b) => compare(a.author, b.author))
    .flatMap(({ author, value }) => spansBetween(base, value).map((span): AuthoredSpan => ({ ...span, author })));
  const authors = versions.map(({ author }) => author);
  const settled = groupOverlapping(spans).map((group) => settleGroup(base, group, { authors, place }));
  const restored = settled.map((span) => ({
    ...span,
    text: withoutMovedWords(base.slice(span.start, span.end), span.text, lost),
  }));
  const merged = applySpans(base, restored);
  if (restored.some(({ text }, index) => text !== settled[index]?.text)) options.onOverlap({ base, edits: versions, target });
  return merged;
};

interface SettleGroupOptions {
  /** In the order of the branches. */
  authors: readonly string[];
  place: MergeTarget;
}

/** Merges the spans that touch one section of the base into one span. */
const settleGroup = (base: string, group: readonly AuthoredSpan[], { authors, place }: SettleGroupOptions): Span => {
  const [first] = group as [AuthoredSpan, ...AuthoredSpan[]]; // a group has at least one
  const { start } = first;
  const end = Math.max(...group.map((span) => span.end));
  const texts = [...new Set(group.map((span) => span.text))];
  if (start === end) return { start, end, text: texts.join('') };
  if (texts.length === 1 && group.every((span) => span.start === start && span.end === end)) return first;
  const section = base.slice(start, end);
  const parties = authors
    .map((author) => ({ author, own: group.filter((span) => span.author === author) }))
    .filter(({ own }) => own.length > 0);
  const edits = parties.map(({ author, own }) => ({
    author,
    value: applySpans(
      section,
      own.map((span) => shifted(span, start)),
    ),
  }));
  const settled = settle(section, edits, { place });
  if (place.options.rule !== 'widest-redaction') return { start, end, text: textOf(settled) };
  // Removes all that any of them removed; inserts the replacement of one of them.
  const [best] = parties
    .map(({ author, own }) => ({ author, text: own.map((span) => span.text).join(' ') })) // separated, so that words stay words
    .toSorted(byReach(section));
  return { start, end, text: best?.text ?? '' };
};

const shifted = ({ start, end, text }: Span, by: number): Span => ({ start: start - by, end: end - by, text });
