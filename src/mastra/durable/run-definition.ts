import { createHash } from 'node:crypto';
import { getLoopMachine, type LoopLimits } from '../../loop/machine.js';
import type { Run, RunOptions } from '../../loop/run.js';
import { childrenOf, type GraphNode } from '../../pipeline/graph.js';

/** The definition at the start of a run. Its journal is only valid under it. */
export interface RunDefinition {
  /**
   * A hash of the statechart and the guards of each array, in order, with their declared versions: a run with other code may reach
   * other states.
   */
  readonly code: string;
  /** By array. */
  readonly guards: Readonly<Record<string, Shape>>;
  readonly limits: LoopLimits;
  /** By tool: a claimed call stays claimed after a deployment. */
  readonly effects: RunOptions['effects'];
}

/** The kind, the id and the children of a node, and the declared version of a guard. */
type Shape = readonly [kind: string, id: string, children: readonly Shape[], version?: string];

export const definitionOf = ({ options: { lanes, limits, effects } }: Run): RunDefinition => {
  const guards = Object.fromEntries(Object.entries(lanes).flatMap(([lane, plan]) => (plan ? [[lane, shapeOf(plan.graph)]] : [])));
  const code = createHash('sha256')
    .update(JSON.stringify([getLoopMachine().config, guards]))
    .digest('hex')
    .slice(0, 16);
  return { code, guards, limits, effects };
};

const shapeOf = (node: GraphNode): Shape => {
  const shape = [node.kind, 'id' in node ? node.id : '', childrenOf(node).map(shapeOf)] as const;
  const version = node.kind === 'guard' ? node.policy?.version : undefined;
  return version === undefined ? shape : [...shape, version];
};

/** The leaves of a shape by id, with their versions. */
const versionsIn = (shape: Shape | undefined): ReadonlyMap<string, string | undefined> => {
  if (!shape) return new Map();
  const [, id, children, version] = shape;
  return children.length > 0 ? new Map(children.flatMap((child) => [...versionsIn(child)])) : new Map([[id, version]]);
};

/** Describes the differences between the code that started a run and the code that would continue it. */
export const changesBetween = (from: RunDefinition, to: RunDefinition): string[] => {
  const lanes = new Set([...Object.keys(from.guards), ...Object.keys(to.guards)]);
  const guards = [...lanes].flatMap((lane) => changesOf(lane, from.guards[lane], to.guards[lane]));
  return from.code !== to.code && guards.length === 0 ? ['the statechart changed'] : guards;
};

const changesOf = (lane: string, from: Shape | undefined, to: Shape | undefined): string[] => {
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  const [old, now] = [versionsIn(from), versionsIn(to)];
  const describeChanges = (ids: Iterable<string>, how: string): string[] => {
    const list = [...ids].join(', ');
    return list === '' ? [] : [`${lane} guards ${how}: ${list}`];
  };
  const versions = [...old].filter(([id, version]) => now.has(id) && now.get(id) !== version);
  const changes = [
    ...describeChanges(
      [...old.keys()].filter((id) => !now.has(id)),
      'removed',
    ),
    ...describeChanges(
      [...now.keys()].filter((id) => !old.has(id)),
      'added',
    ),
    ...describeChanges(
      versions.map(([id, version]) => `${id} (${version ?? 'none'} to ${now.get(id) ?? 'none'})`),
      'of another version',
    ),
  ];
  return changes.length > 0 ? changes : [`${lane} guards arranged differently`];
};
