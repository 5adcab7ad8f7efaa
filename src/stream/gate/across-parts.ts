import type { Pattern, TextSpan } from '../../guard/pattern.js';

/**
 * The ends of what a pattern has let go, over all parts and steps of a run: of all texts as they came, and of each kind, as it is read where
 * the other is not shown.
 */
export type Tails = Map<string, string>;

/** A text of a run, and the type of its deltas. */
export interface SaidText {
  readonly kind: 'text-delta' | 'reasoning-delta';
  readonly text: string;
}

/** The tails that a text of a kind goes on from, without those that are the same. */
const tailsOf = (tails: Tails, kind: string): ReadonlySet<string> => new Set([tails.get('') ?? '', tails.get(kind) ?? '']);

/** Of a pattern without a longest match so many characters are remembered. */
const defaultKept = 256;
const mostKept = 512;

/** Adds a text that was let go. */
export const followTails = (tails: Tails, { kind, text }: SaidText, { maxLength }: Pattern): void => {
  const kept = maxLength === 'part' ? defaultKept : Math.min(maxLength, mostKept);
  for (const name of ['', kind])
    tails.set(name, text.length >= kept ? text.slice(text.length - kept) : ((tails.get(name) ?? '') + text).slice(-kept));
};

/** A part that began behind tails, and of which nothing has gone yet. */
interface Beginning {
  readonly kind: SaidText['kind'];
  readonly text: string;
  readonly isEnded: boolean;
}

/**
 * What of a part's beginning completes a match that began before the part: its other half has gone, so that this half must not. Nothing
 * where there is none, `undecided` where that depends on what comes.
 */
export const matchAcross = (pattern: Pattern, tails: Tails, part: Beginning): Across => {
  const across = [...tailsOf(tails, part.kind)].map((before) => (before ? matchBehind(pattern, before, part) : undefined));
  return across.find((one) => typeof one === 'object') ?? across.find((one) => one === 'undecided');
};

type Across = TextSpan | 'undecided' | undefined;

const matchBehind = (pattern: Pattern, before: string, { text, isEnded }: Beginning): Across => {
  const joined = before + text;
  const { maxLength, lookahead = 1 } = pattern;
  const reach = maxLength === 'part' ? joined.length : maxLength + lookahead - 1;
  const openFrom = Math.max(pattern.open?.(joined, 0) ?? 0, joined.length - reach);
  if (!isEnded && openFrom < before.length) return 'undecided';
  const span = pattern.find(joined, 0).find(({ start, end }) => start < before.length && end > before.length);
  return span && { ...span, start: 0, end: span.end - before.length };
};
