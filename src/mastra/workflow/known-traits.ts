import {
  ClassifierProcessor,
  LanguageDetector,
  ModerationProcessor,
  PIIDetector,
  PromptInjectionDetector,
  RegexFilterProcessor,
  SystemPromptScrubber,
  TokenLimiterProcessor,
  ToolCallFilter,
  UnicodeNormalizer,
  type Processor,
} from '@mastra/core/processors';
import type { DeclaredProcessor, GuardTraits } from '../../guard/traits.js';

/** What Mastra's processors do by their `strategy`. */
const byStrategy: Record<string, GuardTraits['decides']> = {
  block: ['trip'],
  abort: ['trip'],
  filter: ['edit'],
  redact: ['edit'],
  rewrite: ['edit'],
  detect: ['edit'],
  translate: ['edit'],
  truncate: ['edit'],
};

const strategyOf = (processor: Processor): string => String(Reflect.get(processor, 'strategy')); // set by each constructor

const decidesOf = (processor: Processor): GuardTraits => ({ decides: byStrategy[strategyOf(processor)] });

/** Judges one delta at a time, by a model or by patterns. */
const chunkwise = (processor: Processor): GuardTraits => ({ ...decidesOf(processor), judgesEachChunk: true });

type Known = readonly [type: abstract new (...args: never[]) => Processor, traits: (processor: Processor) => GuardTraits];

/** What is known of Mastra's own processors, from their sources; they say nothing of it themselves. */
const known: readonly Known[] = [
  [ModerationProcessor, chunkwise],
  [PIIDetector, chunkwise],
  [SystemPromptScrubber, chunkwise],
  [ClassifierProcessor, () => ({ judgesEachChunk: true })],
  // Its redaction keeps a tail between chunks; the other strategies look at each delta alone.
  [RegexFilterProcessor, (processor) => (strategyOf(processor) === 'redact' ? decidesOf(processor) : chunkwise(processor))],
  [PromptInjectionDetector, decidesOf],
  [LanguageDetector, decidesOf],
  [TokenLimiterProcessor, decidesOf],
  [UnicodeNormalizer, () => ({ decides: ['edit'] })],
  [ToolCallFilter, () => ({ decides: ['edit'] })],
];

/** What a processor says of itself, or what is known of it. */
export const traitsOf = (processor: DeclaredProcessor): GuardTraits | undefined =>
  processor.traits ?? known.find(([type]) => processor instanceof type)?.[1](processor);
