import type { Processor } from '@mastra/core/processors';
import type { GuardPolicy } from '../../../schemas/index.js';
import { readPolicy } from '../../guard/policy/read-policy.js';
import type { GuardNode } from '../../pipeline/graph.js';
import type { DeclaredProcessor, GuardTraits } from '../../guard/traits.js';
import { isRecord } from '../../phase/plain-data.js';

/** A processor of its author's, and the policy around it. */
interface Guarded {
  readonly processor: Processor;
  readonly policy: GuardPolicy | undefined;
}

/** A processor that declares its own policy, the default for pipelines that contain it. */
export type PolicyCarrier = Processor & {
  /** What holds around this processor where nothing else is said; `guard()` overrides each field. */
  readonly guardPolicy?: GuardPolicy;
};

/** What is known of the processors that were seen, and of those that `guard()` made: one policy each, for what it keeps. */
const known = new WeakMap<Processor, Guarded>();

/**
 * The processor itself and the policy around it, for one that `guard()` made, one that declares its own, and any other.
 *
 * Raises `guard/unknown-option`, `guard/invalid-option` for a policy of its own that cannot be used.
 */
export const guardedBy = (processor: Processor): Guarded => {
  const seen = known.get(processor);
  if (seen) return seen;
  const { guardPolicy: own }: PolicyCarrier = processor;
  const guarded = { processor, policy: own && readPolicy(own, processor.id) };
  if (own) known.set(processor, guarded);
  return guarded;
};

/** Stores the guard behind a processor that `guard()` made. */
export const rememberGuarded = (wrapper: Processor, guarded: Guarded): void => void known.set(wrapper, guarded);

/** A processor as a node of a graph; raises what {@link guardedBy} does. */
export const guardNode = (given: Processor): GuardNode => {
  const { processor, policy } = guardedBy(given);
  const traits = traitsOf(processor);
  return { kind: 'guard', id: processor.id, processor, ...(policy && { policy }), ...(traits && { traits }) };
};

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

/** Mastra's judges catch the failure of their model: what becomes of that is their `errorStrategy`, `'warn'` where nothing else was said. */
const judging =
  (traits: (processor: Processor) => GuardTraits) =>
  (processor: Processor): GuardTraits => ({
    ...traits(processor),
    passesOnFailure: Reflect.get(processor, 'errorStrategy') === 'warn', // set by each constructor
  });

/** Judges one delta at a time, by a model or by patterns. */
const chunkwise = (processor: Processor): GuardTraits => ({ ...decidesOf(processor), judgesEachChunk: true });

const editing = (): GuardTraits => ({ decides: ['edit'] });

/**
 * What is known of Mastra's own processors, from their sources, by the names that their classes give them; they say nothing of it
 * themselves. A name serves where the class would not: nothing of Mastra is loaded, and one of another copy is known too.
 */
const byName: Readonly<Record<string, (processor: Processor) => GuardTraits>> = {
  Moderation: judging(chunkwise),
  'PII Detector': judging(chunkwise),
  'System Prompt Scrubber': judging(chunkwise),
  Classifier: judging(() => ({ judgesEachChunk: true })),
  // Its redaction keeps a tail between chunks; the other strategies look at each delta alone.
  'Regex Filter': (processor) => (strategyOf(processor) === 'redact' ? decidesOf(processor) : chunkwise(processor)),
  'Prompt Injection Detector': judging(decidesOf),
  'Language Detector': judging(decidesOf),
  'Token Limiter': decidesOf,
  'Unicode Normalizer': editing,
  ToolCallFilter: editing,
};

/** What is known of an instance of one of Mastra's classes; a plain object may have any name. */
const knownOf = (processor: Processor): GuardTraits | undefined => {
  const { name } = processor;
  return name !== undefined && !isRecord(processor) && Object.hasOwn(byName, name) ? byName[name]?.(processor) : undefined;
};

/** What a processor says of itself, or what is known of it. */
const traitsOf = (processor: DeclaredProcessor): GuardTraits | undefined => processor.traits ?? knownOf(processor);
