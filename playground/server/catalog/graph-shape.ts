import { phaseNames } from '../../../src/phase/table.js';
import { phases } from '../../../src/index.js';
import { nameOf, otherwise, windowOf, type GraphNode, type GuardNode } from '../../../src/pipeline/graph.js';
import { nameOfRule } from '../../../src/pipeline/overlap.js';
import type { GraphShape } from '../../protocol/catalog.js';
import { guardsIn } from '../../protocol/shapes.js';

/** A graph as data for a page. Of functions only their names remain. */
export const shapeOf = (node: GraphNode, path: string): GraphShape => {
  const inside = (inner: GraphNode, index: number): GraphShape => shapeOf(inner, `${path}/${nameOf(inner, index)}`);
  switch (node.kind) {
    case 'guard':
      return { kind: 'guard', id: node.id, path, phases: phasesOf(node), ...factsOf(node) };
    case 'function':
    case 'map':
      return { kind: node.kind, id: node.id, path };
    case 'sequence':
      return { kind: 'sequence', id: node.id, path, nodes: node.nodes.map(inside) };
    case 'parallel':
      return { kind: 'parallel', path, overlap: nameOfRule(node.overlap), nodes: node.nodes.map(inside) };
    case 'branch': {
      const arms = node.arms.map((arm, index) => ({ condition: conditionName(arm.when, index), node: inside(arm.node, index) }));
      return { kind: 'branch', path, overlap: nameOfRule(node.overlap), arms };
    }
    default:
      return node satisfies never;
  }
};

/** The phases in which a guard has a hook, in the table's order. */
const phasesOf = ({ processor }: GuardNode): string[] =>
  phaseNames.filter((phase) => typeof processor[phases[phase].hook] === 'function');

const factsOf = (node: GuardNode): Pick<Extract<GraphShape, { kind: 'guard' }>, 'policy' | 'description' | 'judges'> => {
  const { policy, processor } = node;
  return {
    ...(policy && { policy: plain(policy) }),
    ...(processor.description && { description: processor.description }),
    ...(typeof processor.processOutputStream === 'function' && { judges: unitOf(windowOf(node)) }),
  };
};

/** A window in words. */
const unitOf = (window: ReturnType<typeof windowOf> = 'chunk'): string => {
  if (typeof window === 'string') return `each ${window}`;
  if ('pattern' in window)
    return `the start of a value, up to ${window.pattern.maxLength === 'part' ? 'the end of the part' : `${window.pattern.maxLength.toLocaleString('en')} characters`}`;
  return 'chars' in window ? `${window.chars} characters at a time` : `${window.tokens} tokens at a time`;
};

/** The phases that any guard of a shape covers, in the table's order. */
export const phasesIn = (shape: GraphShape): string[] => {
  const covered = new Set(guardsIn(shape).flatMap((guard) => guard.phases));
  return phaseNames.filter((phase) => covered.has(phase));
};

const conditionName = (when: (...args: never[]) => unknown, index: number): string =>
  when === otherwise ? 'otherwise' : when.name && when.name !== 'when' ? when.name : `condition ${index}`;

/** A policy without values that are not plain data. */
const plain = (policy: object): object =>
  JSON.parse(JSON.stringify(policy, (_, value: unknown) => (typeof value === 'function' ? 'a function' : value))) as object;
