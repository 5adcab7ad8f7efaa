import type { Processor } from '@mastra/core/processors';
import { guard, InterlockError, type GuardPolicy } from '../../../src/index.js';
import { childrenOf, nameOf, type GraphNode, type GuardNode } from '../../../src/pipeline/graph.js';
import * as library from '../../../workflows/guards/index.js';
import { readyGuardNames, type ChosenGuard, type ReadyGuardName } from '../../protocol/again.js';
import type { Known } from '../catalog/known.js';

/** The chosen guard, created anew if it has new options. Raises `studio/not-found`, and the errors of the guard's own options. */
export const makeGuard = (known: Known, chosen: ChosenGuard): Processor => {
  switch (chosen.kind) {
    case 'own': {
      const { processor, policy } = ownGuard(known, chosen);
      const options = { ...policy, ...(chosen.options as GuardPolicy) };
      return Object.keys(options).length > 0 ? guard(processor, options as GuardPolicy & { overlap?: false }) : processor;
    }
    case 'ready': {
      const make = makerNamed(chosen.name);
      if (!make) throw new InterlockError('studio/not-found', { path: chosen.name });
      return make(chosen.options ?? {});
    }
    default:
      return chosen satisfies never;
  }
};

type Maker = (options: object) => Processor;

/** Built-in guards by name; each rejects unknown options. */
const ready: Readonly<Record<ReadyGuardName, unknown>> = library;

const makerNamed = (chosen: string): Maker | undefined => {
  const name = readyGuardNames.find((one) => one === chosen);
  return name && (ready[name] as Maker); // each checks its own options
};

const ownGuard = ({ pipelines }: Known, { pipelineId, path }: Extract<ChosenGuard, { kind: 'own' }>): GuardNode => {
  const pipeline = pipelines.find(({ id }) => id === pipelineId);
  const node = pipeline && nodeAt(pipeline.graph, pipelineId, path);
  if (node?.kind !== 'guard') throw new InterlockError('studio/not-found', { path });
  return node;
};

/** The node at a path from a picture of a pipeline. */
const nodeAt = (node: GraphNode, at: string, path: string): GraphNode | undefined => {
  if (at === path) return node;
  for (const [index, inner] of childrenOf(node).entries()) {
    const found = nodeAt(inner, `${at}/${nameOf(inner, index)}`, path);
    if (found) return found;
  }
  return undefined;
};
