import type { Processor } from '@mastra/core/processors';
import { foldLookalikes } from '../unicode/fold-lookalikes.js';
import { combineFinders, countKinds } from '../patterns/combine-finders.js';
import type { Finder } from '../patterns/define-finder.js';
import { hiddenFinders, lookalikeFinder } from '../unicode/unicode-finders.js';
import { type GuardOptions, type JudgeStrategy, guardForm } from './guard-options.js';
import { valueHooks, type ValueHooks } from './value-hooks.js';
import { listOf, oneOf } from '../../src/option-kind.js';

/** Characters that {@link unicodeGuard} detects: invisible ones, and letters that look like others. */
type UnicodeTrick = 'hidden' | 'lookalike';

export interface UnicodeGuardOptions extends GuardOptions {
  /** The tricks to detect. Default: both. */
  readonly tricks?: readonly UnicodeTrick[];
  /** `clean` removes hidden characters and replaces look-alikes with Latin letters; `block` and `warn` as elsewhere. Default `'clean'`. */
  readonly strategy?: JudgeStrategy | 'clean';
}

/** Metadata of the tripwire and of `onViolation`. */
export interface UnicodeMetadata {
  readonly found: Partial<Record<UnicodeTrick, number>>;
}

const finders = { hidden: hiddenFinders, lookalike: [lookalikeFinder] } as const satisfies Record<
  UnicodeTrick,
  readonly Finder[]
>;

export const form = guardForm<UnicodeGuardOptions>(['unicode', 'Unicode'], {
  tricks: listOf(oneOf('hidden', 'lookalike')),
  strategy: oneOf('block', 'warn', 'clean'),
});

/**
 * A guard (id `unicode`) against deceptive text, in the input, in tool results and in answers: tag characters, reversed
 * directions, zero-width characters, fillers and selectors, and words that mix Latin with look-alike letters. Put it
 * before guards that read words. Emoji, flags, right-to-left text and scripts with joiners stay unchanged, and so do isolates
 * that end on the line of their start. Overrides and embeddings (U+202A to U+202E) are removed everywhere.
 */
export const unicodeGuard = (options: UnicodeGuardOptions = {}): ValueHooks<unknown> & Pick<Processor, 'id'> => {
  form.check(options);
  const { tricks = ['hidden', 'lookalike'], strategy = 'clean' } = options;
  const guard = form.open<UnicodeMetadata>(options, `Finds hidden characters (${tricks.join(', ')}).`);
  const policy = {
    finder: combineFinders(tricks.flatMap((trick) => finders[trick].map((finder) => [trick, finder] as const))),
    effect: strategy === 'clean' ? ('redact' as const) : strategy,
    replacement: ({ kind }: { kind: UnicodeTrick }, value: string) => (kind === 'hidden' ? '' : foldLookalikes(value)),
    detection: (found: Parameters<typeof countKinds<UnicodeTrick>>[0], place: string) => ({
      reason: `The ${place} contains hidden characters.`,
      metadata: { found: countKinds(found) },
    }),
  };
  return Object.assign(guard, valueHooks<UnicodeTrick, UnicodeMetadata>(policy, guard));
};
