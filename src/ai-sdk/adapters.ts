import { InterlockError } from '../errors.js';
import { childrenOf, nameOf, type GraphNode } from '../pipeline/graph.js';
import type { Plan } from '../pipeline/compile.js';
import type { Phase } from '../phase/row.js';
import { phaseNames, phaseRow } from '../phase/table.js';

/** The phases that each adapter for the AI SDK honours. A hook that none of a run's adapters honours is refused, never skipped. */
const phasesOf = {
  withGuards: ['input', 'llmRequest', 'apiError', 'outputStream', 'llmResponse', 'outputStep', 'outputResult'],
  toPrepareStep: ['input', 'inputStep'],
  guardTools: ['toolResult'],
  toStreamTransform: ['outputStream'],
} as const satisfies Record<string, readonly Phase[]>;

/** An adapter for the AI SDK. */
export type Adapter = keyof typeof phasesOf;

/**
 * Refuses a pipeline with a hook that none of the adapters would call; `uncalled` are phases for which its author accepts that.
 *
 * Raises `ai-sdk/unhonoured-hook`.
 */
export const checkCalled = ({ graph }: Plan, adapters: readonly Adapter[], uncalled: readonly Phase[] = []): void => {
  const called = new Set<Phase>([...adapters.flatMap((adapter): readonly Phase[] => phasesOf[adapter]), ...uncalled]);
  const missing = phaseNames.filter((phase) => !called.has(phase)).map((phase) => phaseRow<Phase>(phase));
  for (const { path, node } of guardsIn(graph, graph.id))
    for (const { hook, phase } of missing)
      if (typeof node.processor[hook] === 'function')
        throw new InterlockError('ai-sdk/unhonoured-hook', { path: `${path} ${hook}`, detail: detailOf(adapters, phase) });
};

type GuardNode = Extract<GraphNode, { kind: 'guard' }>;

const guardsIn = (node: GraphNode, path: string): { path: string; node: GuardNode }[] =>
  node.kind === 'guard'
    ? [{ path, node }]
    : childrenOf(node).flatMap((inner, index) => guardsIn(inner, `${path}/${nameOf(inner, index)}`));

const detailOf = (adapters: readonly Adapter[], phase: Phase): string => {
  const able = (Object.keys(phasesOf) as Adapter[]).filter((name) => (phasesOf[name] as readonly Phase[]).includes(phase));
  return `${adapters.join(' with ') || 'nothing'} does not call it, ${able.join(' or ')} would`;
};
