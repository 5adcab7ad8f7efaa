import type { Processor } from '@mastra/core/processors';
import { createPace, finding, paced, type Steps } from '../../src/guard/in-steps.js';
import { whenReady } from '../../src/phase/awaitable.js';
import { once } from '../../src/phase/memo.js';
import { newestUserTurn, textOf } from '../messages/read-messages.js';
import { eachPiece, readingForm } from '../text/overlap.js';
import { termMatching } from '../patterns/term-finder.js';
import {
  judgeWith,
  traitsOf,
  unchanged,
  type GuardOptions,
  type GuardProcessor,
  type JudgeStrategy,
  judgeStrategies,
  guardForm,
} from './guard-options.js';
import { aName, listOf, needed, numberFrom, recordOf } from '../../src/option-kind.js';

export interface TopicGuardOptions extends GuardOptions {
  /** The allowed topics, with their words and phrases. Whole words, in any case. */
  readonly topics: Readonly<Record<string, readonly string[]>>;
  /** Turns of fewer words pass: a greeting or a "yes, please" names no topic. Default 4. */
  readonly minWords?: number;
  /** Default `'block'`. */
  readonly strategy?: JudgeStrategy;
}

/** Handles scripts without spaces between words. */
const words = once(() => new Intl.Segmenter('en', { granularity: 'word' }));

/** Metadata of the tripwire and of `onViolation`. */
export interface TopicMetadata {
  /** The allowed topics. */
  readonly topics: readonly string[];
}

const form = guardForm<TopicGuardOptions>(['topic', 'Topic'], {
  topics: needed(recordOf(listOf(aName))),
  minWords: numberFrom(0),
  strategy: judgeStrategies,
});

/**
 * A guard (id `topic`) that passes a user turn only if it names an allowed topic. It matches words, not meaning: give each topic
 * its common words, and use a model-based guard if that is too coarse.
 */
export const topicGuard = (options: TopicGuardOptions): GuardProcessor<'processInput'> => {
  form.check(options);
  const { topics, minWords = 4, strategy = 'block' } = options;
  const names = Object.keys(topics);
  const matching = termMatching(Object.values(topics).flat(), true);
  const guard = form.open<TopicMetadata>(options, `Allows only these topics: ${names.join(', ')}.`);
  const judge = judgeWith<TopicMetadata>(guard, strategy);
  return Object.assign(guard, { traits: traitsOf[strategy] }, {
    processInput: (args) => {
      const text = newestUserTurn(args.messages).map(textOf).join('\n');
      const isOther = function* (): Steps<boolean> {
        const plain = yield* readingForm(text);
        return !(yield* hasFewerWords(plain, minWords)) && (yield* finding(matching, plain)).length === 0;
      };
      return whenReady(paced(isOther(), createPace()), (isFound) =>
        isFound
          ? judge({ reason: `The input is about none of ${names.join(', ')}.`, metadata: { topics: names } }, args)
          : unchanged,
      );
    },
  } satisfies Partial<Processor<string, TopicMetadata>>);
};

function* hasFewerWords(text: string, count: number): Steps<boolean> {
  let remaining = count;
  yield* eachPiece(text, (piece) => {
    for (const { isWordLike } of words().segment(piece)) if (isWordLike && (remaining -= 1) <= 0) break;
    return remaining > 0;
  });
  return remaining > 0;
}
