import type { Processor } from '@mastra/core/processors';
import type { GuardPolicy } from '../../../schemas/index.js';
import { readPolicy } from '../../guard/policy/read-policy.js';
import type { GuardNode } from '../../pipeline/graph.js';
import { traitsOf } from './known-traits.js';

/** A processor of its author's, and the policy around it. */
export interface Guarded {
  readonly processor: Processor;
  readonly policy: GuardPolicy | undefined;
}

/** A processor that declares a policy of its own: the default for whoever puts it into a pipeline. */
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

/** Remembers what stands behind a processor that `guard()` made. */
export const rememberGuarded = (wrapper: Processor, guarded: Guarded): void => void known.set(wrapper, guarded);

/** A processor as a node of a graph; raises what {@link guardedBy} does. */
export const guardNode = (given: Processor): GuardNode => {
  const { processor, policy } = guardedBy(given);
  const traits = traitsOf(processor);
  return { kind: 'guard', id: processor.id, processor, ...(policy && { policy }), ...(traits && { traits }) };
};
