import type { Processor } from '@mastra/core/processors';
import { guard, InterlockError, type GuardPolicy } from '../../../src/index.js';
import { childrenOf, nameOf, type GraphNode, type GuardNode } from '../../../src/pipeline/graph.js';
import {
  answerLimitGuard,
  blockedTermsGuard,
  financialAdviceGuard,
  jsonGuard,
  leakGuard,
  lengthGuard,
  linkGuard,
  piiGuard,
  promptInjectionGuard,
  qualityGuard,
  redactor,
  scriptGuard,
  spamGuard,
  toolSecretsGuard,
  unicodeGuard,
} from '../../../workflows/guards/index.js';
import type { ChosenGuard, ReadyGuardName } from '../../protocol/again.js';
import type { Known } from '../catalog/known.js';

/**
 * The guard that was chosen, made anew where its options were. Raises `studio/not-found`, and the errors of the guard's own options.
 */
export const makeGuard = (known: Known, chosen: ChosenGuard): Processor => {
  switch (chosen.kind) {
    case 'own': {
      const { processor, policy } = ownGuard(known, chosen);
      const options = { ...policy, ...(chosen.options as GuardPolicy) };
      return Object.keys(options).length > 0 ? guard(processor, options as GuardPolicy & { overlap?: false }) : processor;
    }
    case 'ready': {
      const make = makers[chosen.name];
      if (!make) throw new InterlockError('studio/not-found', { path: chosen.name });
      return make(chosen.options ?? {});
    }
    default:
      return chosen satisfies never;
  }
};

type Maker = (options: object) => Processor;

/** By their names; each refuses options that it does not know. */
const ready = {
  answerLimitGuard,
  blockedTermsGuard,
  financialAdviceGuard,
  jsonGuard,
  leakGuard,
  lengthGuard,
  linkGuard,
  piiGuard,
  promptInjectionGuard,
  qualityGuard,
  redactor,
  scriptGuard,
  spamGuard,
  toolSecretsGuard,
  unicodeGuard,
} satisfies Readonly<Record<ReadyGuardName, unknown>>;

const makers = ready as unknown as Readonly<Partial<Record<string, Maker>>>; // each checks its own options

const ownGuard = ({ pipelines }: Known, { pipelineId, path }: Extract<ChosenGuard, { kind: 'own' }>): GuardNode => {
  const pipeline = pipelines.find(({ id }) => id === pipelineId);
  const node = pipeline && nodeAt(pipeline.graph, pipelineId, path);
  if (node?.kind !== 'guard') throw new InterlockError('studio/not-found', { path });
  return node;
};

/** The node at a path, as pictures of a pipeline name it. */
const nodeAt = (node: GraphNode, at: string, path: string): GraphNode | undefined => {
  if (at === path) return node;
  for (const [index, inner] of childrenOf(node).entries()) {
    const found = nodeAt(inner, `${at}/${nameOf(inner, index)}`, path);
    if (found) return found;
  }
  return undefined;
};
