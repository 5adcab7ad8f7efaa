import { createHash } from 'node:crypto';
import { loopMachine, type LoopLimits } from '../../loop/machine.js';
import type { Run } from '../../loop/run.js';
import { childrenOf, type GraphNode } from '../../pipeline/graph.js';

/** The definition at the start of a run. Its journal is only valid under it. */
export interface RunDefinition {
  /** A hash of the statechart and the guards of each lane, in order: a run with other code may reach other states. */
  readonly code: string;
  /** By lane. Undefined in journals of earlier versions. */
  readonly guards?: Readonly<Record<string, Shape>>;
  readonly limits: LoopLimits;
}

/** The kind, the id and the children of a node. */
type Shape = readonly [kind: string, id: string, children: readonly Shape[]];

export const definitionOf = ({ options: { lanes, limits } }: Run): RunDefinition => {
  const guards = Object.fromEntries(Object.entries(lanes).flatMap(([lane, plan]) => (plan ? [[lane, shapeOf(plan.graph)]] : [])));
  const code = createHash('sha256')
    .update(JSON.stringify([loopMachine.config, guards]))
    .digest('hex')
    .slice(0, 16);
  return { code, guards, limits };
};

const shapeOf = (node: GraphNode): Shape => [node.kind, 'id' in node ? node.id : '', childrenOf(node).map(shapeOf)];

const idsIn = ([, id, children]: Shape): string[] => (children.length > 0 ? children.flatMap(idsIn) : [id]);

/** Describes the differences between the code that started a run and the code that would continue it. */
export const changesBetween = (from: RunDefinition, to: RunDefinition): string[] => {
  const { guards: old = to.guards ?? {} } = from;
  const lanes = new Set([...Object.keys(old), ...Object.keys(to.guards ?? {})]);
  const guards = [...lanes].flatMap((lane) => changesOf(lane, old[lane], to.guards?.[lane]));
  const isOther = from.code !== to.code && guards.length === 0;
  return [...guards, ...(isOther ? [from.guards ? 'the statechart changed' : 'the statechart or the guards changed'] : [])];
};

const changesOf = (lane: string, from: Shape | undefined, to: Shape | undefined): string[] => {
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  const [old, now] = [from ? idsIn(from) : [], to ? idsIn(to) : []];
  const describeChanges = (ids: readonly string[], others: readonly string[], how: string): string[] => {
    const own = ids.filter((id) => !others.includes(id));
    return own.length > 0 ? [`${lane} guards ${how}: ${own.join(', ')}`] : [];
  };
  const changes = [...describeChanges(old, now, 'removed'), ...describeChanges(now, old, 'added')];
  return changes.length > 0 ? changes : [`${lane} guards arranged differently`];
};
