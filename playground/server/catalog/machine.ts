import type { AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { loopMachine } from '../../../src/index.js';
import type { Catalog, StateInfo, TransitionInfo } from '../../protocol/catalog.js';

/** The loop's statechart as lists of states and transitions, derived from the machine. */
export const describeMachine = (): Catalog['machine'] => {
  const nodes = nodesFrom(loopMachine.root);
  return { states: nodes.map(stateOf), transitions: [loopMachine.root, ...nodes].flatMap(transitionsOf) };
};

/** The statechart as XState's own JSON, without its root's functions. */
export const machineAsJson = (): unknown => loopMachine.config;

/** Every state below a node, in source order. */
const nodesFrom = (node: AnyStateNode): AnyStateNode[] =>
  Object.values(node.states).flatMap((child) => [child, ...nodesFrom(child)]);

const pathOf = (node: AnyStateNode): string => node.path.join('.');

const stateOf = (node: AnyStateNode): StateInfo => {
  const { parent } = node;
  return {
    path: pathOf(node),
    parent: parent && parent.path.length > 0 ? pathOf(parent) : undefined,
    type: node.type === 'history' ? 'atomic' : node.type,
    isInitial: parent?.type === 'parallel' || parent?.initial.target.includes(node) === true,
  };
};

/** The transitions that start at a state; those of the whole machine start at its top. */
const transitionsOf = (node: AnyStateNode): TransitionInfo[] =>
  [...node.transitions.values(), node.always ?? []].flat().flatMap((transition) => describe(node, transition));

const describe = (node: AnyStateNode, { eventType, guard, target = [] }: AnyTransitionDefinition): TransitionInfo[] =>
  target.map((to) => ({ from: pathOf(node), to: pathOf(to), event: eventName(eventType), guard: guardName(guard) }));

/** XState's name of an event, for people: the activity that has ended, and whether it threw. */
const eventName = (type: string): string => {
  if (type === '') return 'always';
  const [, kind, of, ...rest] = /^xstate\.(done|error)\.(actor|state)\.(.*)$/.exec(type) ?? [];
  if (kind === undefined) return type;
  return of === 'state' ? 'all regions done' : `${rest.join('.')} ${kind === 'done' ? 'done' : 'failed'}`;
};

const guardName = (guard: unknown): string | undefined => {
  if (guard === undefined) return undefined;
  if (typeof guard === 'string') return guard;
  const { type, params } = guard as { type?: unknown; params?: object };
  const name = typeof type === 'string' ? type : 'in another state';
  return params ? `${name} ${Object.values(params).join(' ')}` : name;
};
