import type { Processor } from '@mastra/core/processors';
import type { GuardPolicy } from '../../../schemas/index.js';
import { readPolicy } from '../../guard/policy/read-policy.js';
import type { GuardNode } from '../../pipeline/graph.js';
import type { DeclaredProcessor, GuardTraits } from '../../guard/traits.js';
import { isRecord } from '../../phase/plain-data.js';

/** An author's processor with its policy. */
interface Guarded {
  readonly processor: Processor;
  readonly policy: GuardPolicy | undefined;
}

/** A processor that declares its own policy, the default for pipelines that contain it. */
export type PolicyCarrier = Processor & {
  /** The default policy of this processor; `guard()` overrides each field. */
  readonly guardPolicy?: GuardPolicy;
};

/** Processors with their own policy or from `guard()`: one policy each, because a policy has state. */
const known = new WeakMap<Processor, Guarded>();

/**
 * The inner processor and its policy: for the result of `guard()`, a processor with its own policy, or any other.
 *
 * Raises `guard/unknown-option`, `guard/invalid-option` for a processor's own invalid policy.
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

/** The decisions of Mastra's processors, by `strategy`. */
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

/** Mastra's judges catch failures of their model and handle them by `errorStrategy`. Default: `'warn'`. */
const judgeFields =
  (traits: (processor: Processor) => GuardTraits) =>
  (processor: Processor): GuardTraits => ({
    ...traits(processor),
    passesOnFailure: Reflect.get(processor, 'errorStrategy') === 'warn', // set by each constructor
  });

/** Judges one delta at a time, by a model or by patterns. */
const chunkwise = (processor: Processor): GuardTraits => ({ ...decidesOf(processor), judgesEachChunk: true });

const editing = (): GuardTraits => ({ decides: ['edit'] });

/**
 * Traits of Mastra's own processors, from their sources, by the names that their classes set; they declare none themselves. Names
 * work without loading Mastra, and for another copy of it.
 */
const byName: Readonly<Record<string, (processor: Processor) => GuardTraits>> = {
  Moderation: judgeFields(chunkwise),
  'PII Detector': judgeFields(chunkwise),
  'System Prompt Scrubber': judgeFields(chunkwise),
  Classifier: judgeFields(() => ({ judgesEachChunk: true })),
  // Its redaction keeps a tail between chunks; the other strategies judge each delta separately.
  'Regex Filter': (processor) => (strategyOf(processor) === 'redact' ? decidesOf(processor) : chunkwise(processor)),
  'Prompt Injection Detector': judgeFields(decidesOf),
  'Language Detector': judgeFields(decidesOf),
  'Token Limiter': decidesOf,
  'Unicode Normalizer': editing,
  ToolCallFilter: editing,
};

/** The traits of an instance of one of Mastra's classes. Plain objects are excluded, because they may have any name. */
const knownOf = (processor: Processor): GuardTraits | undefined => {
  const { name } = processor;
  return name !== undefined && !isRecord(processor) && Object.hasOwn(byName, name) ? byName[name]?.(processor) : undefined;
};

/** The declared or known traits of a processor. */
const traitsOf = (processor: DeclaredProcessor): GuardTraits | undefined => processor.traits ?? knownOf(processor);
