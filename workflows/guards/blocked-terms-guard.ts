import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { Processor } from '@mastra/core/processors';
import type { WindowedProcessor } from '../../src/guard/pattern.js';
import { createPace, finding, paced, type Steps } from '../../src/guard/in-steps.js';
import { whenReady } from '../../src/phase/awaitable.js';
import { newestUserTurn, readingsOf, textsOf, responseMessages } from '../messages/read-messages.js';
import { redactMessages } from '../messages/redact-messages.js';
import { combineFinders } from '../patterns/combine-finders.js';
import { termFinder, termMatching } from '../patterns/term-finder.js';
import { readingForm } from '../text/overlap.js';
import {
  judgeWith,
  report,
  type Detection,
  traitsOf,
  unchanged,
  type EditStrategy,
  type GuardOptions,
  type GuardProcessor,
  editStrategies,
  guardForm,
} from './guard-options.js';
import { streamHooks, type ValuePolicy } from './value-hooks.js';
import { aBoolean, aName, aText, listOf, needed } from '../../src/option-kind.js';

export interface BlockedTermsGuardOptions extends GuardOptions {
  /** Words and phrases that must not occur, in any case. */
  terms: readonly string[];
  /** Whether a term counts only if it is not part of a longer word. Default true. */
  wholeWords?: boolean;
  /** `block` stops the run, `redact` removes the terms from the text, `warn` only calls `onViolation`. Default `'block'`. */
  strategy?: EditStrategy;
  /** The replacement for a term with `redact`. Default `'***'`. */
  replacement?: string;
}

/** Metadata of the tripwire and of `onViolation`; never the term or the text. */
export interface BlockedTermsMetadata {
  strategy: EditStrategy;
  /** The number of found terms. */
  count: number;
}

type TermsProcessor = Processor<string, BlockedTermsMetadata>;

export const form = guardForm<BlockedTermsGuardOptions>(['blocked-terms', 'Blocked terms'], {
  terms: needed(listOf(aName)),
  wholeWords: aBoolean,
  strategy: editStrategies,
  replacement: aText,
});

/**
 * A guard (id `blocked-terms`) for words and phrases that must not occur in the user's newest turn or in an answer. It matches words
 * in any script; an invisible character inside a word does not hide it. `block` and `warn` also match
 * full-width and other compatibility forms.
 *
 * With `block` and `redact` it reads the stream as well, including reasoning and tool arguments, also in compatibility
 * forms. It buffers a possible beginning of a term: no piece of one leaves, however the stream is cut. `warn` judges
 * after each step.
 */
export const blockedTermsGuard = (
  options: BlockedTermsGuardOptions,
): GuardProcessor<'processInput' | 'processOutputStep'> & Pick<WindowedProcessor, 'window'> => {
  form.check(options);
  const { terms, wholeWords = true, strategy = 'block', replacement = '***' } = options;
  const matching = termMatching(terms, wholeWords);
  const guard = form.open<BlockedTermsMetadata>(options, `Finds ${terms.length} blocked words and phrases.`);
  const detectionOf = (count: number, place: string): Detection<BlockedTermsMetadata> => ({
    reason: `The ${place} contains blocked language.`,
    metadata: { strategy, count },
  });
  const detection = (count: number, place: string) => (count > 0 ? detectionOf(count, place) : undefined);
  const redaction = { ...matching, replacement: () => replacement };
  const judge = judgeWith<BlockedTermsMetadata>(guard, strategy === 'block' ? 'block' : 'warn');
  type Context = Parameters<typeof judge>[1];
  const judgeTexts = (texts: readonly string[], place: string, args: Context) =>
    whenReady(paced(countingTerms(matching, texts), createPace()), (count) => judge(detection(count, place), args));
  const edit = (messages: MastraDBMessage[], targets: readonly MastraDBMessage[], place: string) => {
    return whenReady(redactMessages(messages, targets, redaction), (edited) => {
      const found = detection(edited.found.length, place);
      return found ? report(guard, found).then(() => edited.messages) : unchanged;
    });
  };
  const inStream: ValuePolicy<'term', BlockedTermsMetadata> = {
    finder: combineFinders([['term', termFinder(terms, wholeWords)]]),
    effect: strategy,
    replacement: () => replacement,
    detection: ({ length }, place) => detectionOf(length, place),
  };
  const hooks = strategy === 'warn' ? {} : streamHooks(inStream, guard);
  return Object.assign(guard, { traits: traitsOf[strategy] }, hooks, {
    processInput: (args) => {
      const turn = newestUserTurn(args.messages);
      return strategy === 'redact'
        ? edit(args.messages, turn, 'input')
        : judgeTexts(readingsOf(turn.flatMap(textsOf)), 'input', args);
    },
    processOutputStep: (args) => {
      const answer = responseMessages(args.messages);
      if (strategy === 'redact') return edit(args.messages, answer, 'answer');
      return judgeTexts([...readingsOf(answer.flatMap(textsOf)), args.text ?? ''], 'answer', args);
    },
  } satisfies Partial<TermsProcessor>);
};

function* countingTerms(matching: ReturnType<typeof termMatching>, texts: readonly string[]): Steps<number> {
  let most = 0;
  for (const text of texts) most = Math.max(most, (yield* finding(matching, yield* readingForm(text))).length);
  return most;
}
