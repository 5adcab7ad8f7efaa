import { inSequence, type Guard, type GuardStep } from '../guard/in-sequence.js';
import { gateRow } from '../guard/pattern-row.js';
import type { Window } from '../guard/pattern.js';
import type { GuardWindow } from '../guard/policy/guard-policy.js';
import type { Author } from '../verdict.js';
import { armsOf, type ArmOf } from './branch.js';
import { blockOf, memberSteps, nodeId, stepsOf } from './graph-steps.js';
import {
  childrenOf,
  defaultWindow,
  mapGuards,
  nameOf,
  windowOf,
  type BranchNode,
  type GraphNode,
  type ParallelNode,
  type SequenceNode,
} from './graph.js';
import type { Block } from './merge-branches.js';
import { once } from '../phase/memo.js';
import { computed } from '../phase/plain-data.js';

type StreamGuard = Guard<'outputStream'>;

/** Consecutive guards of the stream: those that judge each chunk, or those with windows. */
export type StreamSegment = { readonly kind: 'chunks'; readonly guard: StreamGuard } | WindowSegment;

/** Guards with windows, one after another. */
export interface WindowSegment {
  readonly kind: 'windows';
  /** The stages that a text passes. */
  readonly places: readonly TextPlace[];
  /** The same guards for any chunk that is not a text. */
  readonly whole: StreamGuard;
  /** The path of the first of them, for errors. */
  readonly path: string;
}

/** One stage that a text passes. */
type TextPlace = JudgePlace | BlockPlace;

export interface JudgePlace {
  readonly kind: 'judge';
  readonly author: Author;
  readonly window: Window;
  readonly guard: StreamGuard;
  /** Whether it is a shadow: nothing waits for it. */
  readonly isShadow: boolean;
}

/** Parallel guards: a text is released as far as all of them have cleared it, and their edits are merged. */
export interface BlockPlace {
  readonly kind: 'block';
  readonly block: Block<'outputStream'>;
  readonly branches: readonly TextBranch[];
  /** Of a branch: the conditions of its cases. */
  readonly arms?: readonly ArmOf<TextBranch>[];
}

interface TextBranch {
  readonly id: string;
  readonly guard: StreamGuard;
  readonly places: readonly TextPlace[];
}

const hasWindow = (node: GraphNode): boolean =>
  node.kind === 'guard'
    ? typeof node.processor.processOutputStream === 'function' && windowOf(node) !== 'delta'
    : childrenOf(node).some(hasWindow);

/** A node of a sequence: its path, and its steps for a chunk. */
interface Member {
  readonly node: GraphNode;
  readonly path: string;
  readonly steps: readonly GuardStep<'outputStream'>[];
}

/** A cache of plans: an agent's own guards are the same graph in every call. */
const planned = new WeakMap<SequenceNode, Map<string, () => StreamPlan | undefined>>();

/** The stream plan of a pipeline whose guards have windows. */
interface StreamPlan {
  readonly stretches: readonly StreamSegment[];
  /** All of its guards for a chunk that does not come from the model: a tool's result, a data part. */
  readonly whole: StreamGuard;
}

/**
 * The guards of the stream, grouped; undefined if none of them has a window.
 *
 * @param window the window of guards without their own
 */
export const planStream = (graph: SequenceNode, window: GuardWindow = defaultWindow): StreamPlan | undefined => {
  const plans = computed(planned, graph, () => new Map<string, () => StreamPlan | undefined>());
  const key = typeof window === 'string' ? window : JSON.stringify(window);
  const own = () => (window === defaultWindow ? graph : (mapGuards(graph, (guard) => ({ ...guard, window })) as SequenceNode));
  return computed(plans, key, () => once(() => planFor(own())))();
};

const planFor = (graph: SequenceNode): StreamPlan | undefined =>
  hasWindow(graph)
    ? {
        stretches: stretches(membersOf(graph, graph.id)).map(toSegment),
        whole: inSequence(stepsOf(gateRow, graph, graph.id)),
      }
    : undefined;

/** The nodes of a sequence with steps for a chunk; nested sequences with windows are flattened. */
const membersOf = ({ nodes }: SequenceNode, path: string): Member[] =>
  nodes.flatMap((node, index): Member[] => {
    const at = `${path}/${nameOf(node, index)}`;
    if (node.kind === 'sequence' && hasWindow(node)) return membersOf(node, at);
    const steps = memberSteps(gateRow, nodes, { path, index });
    return steps.length > 0 ? [{ node, path: at, steps }] : [];
  });

/** Groups neighbors of one kind. */
type Stretch = [Member, ...Member[]];

const stretches = (members: readonly Member[]): Stretch[] => {
  const found: Stretch[] = [];
  for (const member of members) {
    const last = found.at(-1);
    if (last && hasWindow(last[0].node) === hasWindow(member.node)) last.push(member);
    else found.push([member]);
  }
  return found;
};

const toSegment = (members: Stretch): StreamSegment => {
  const [first] = members;
  const guard = inSequence(members.flatMap(({ steps }) => steps));
  if (!hasWindow(first.node)) return { kind: 'chunks', guard };
  return { kind: 'windows', places: members.map(placeOf), whole: guard, path: first.path };
};

const placeOf = ({ node, path, steps }: Member): TextPlace => {
  if ((node.kind === 'parallel' || node.kind === 'branch') && hasWindow(node)) return blockPlace(node, path);
  const [first] = steps as [GuardStep<'outputStream'>, ...GuardStep<'outputStream'>[]]; // a member has steps
  const { author } = first;
  const isGuard = node.kind === 'guard';
  const window = isGuard ? windowOf(node) : 'chunk';
  return { kind: 'judge', author, window, guard: inSequence(steps), isShadow: isGuard && node.policy?.shadow === true };
};

const blockPlace = (node: ParallelNode | BranchNode, path: string): BlockPlace => {
  const branches = childrenOf(node).flatMap((inner, index): (TextBranch & { index: number })[] => {
    const members = membersIn(inner, `${path}/${nameOf(inner, index)}`);
    if (members.length === 0) return [];
    const guard = inSequence(members.flatMap(({ steps }) => steps));
    return [{ id: nodeId(inner, index), index, guard, places: members.map(placeOf) }];
  });
  const block = blockOf(gateRow, node, path);
  if (node.kind === 'parallel') return { kind: 'block', block, branches };
  return { kind: 'block', block, branches, arms: armsOf(node, branches, path) };
};

const membersIn = (node: GraphNode, path: string): Member[] => {
  if (node.kind === 'sequence') return membersOf(node, path);
  const steps = stepsOf(gateRow, node, path);
  return steps.length > 0 ? [{ node, path, steps }] : [];
};
