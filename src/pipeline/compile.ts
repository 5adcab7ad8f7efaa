import { InterlockError } from '../errors.js';
import { guardOf } from '../guard/guard.js';
import { toGuard, type Guard } from '../guard/to-guard.js';
import type { Phase, PhaseData, PhaseRow } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import { describeValue, withMessageList } from '../phase/settle-messages.js';
import { phaseNames, phaseRow } from '../phase/table.js';
import { pass, type Verdict } from '../verdict.js';
import { inBranch, stepContext } from './branch.js';
import { checkGraph, type BranchNode, type FunctionNode, type GraphNode, type MapNode, type ParallelNode, type SequenceNode } from './graph.js';
import { inParallel, type Branch } from './parallel.js';
import { inSequence } from './sequence.js';

/** A pipeline made ready to run: for each phase one flat function over the guards that have its hook. */
export interface Plan {
  readonly id: string;
  readonly graph: SequenceNode;
  /** Whether anything would run in a phase. */
  has(phase: Phase): boolean;
  /** Runs one phase. Never throws: a failure inside is a verdict. */
  run<P extends Phase>(phase: P, data: PhaseData<P>, scope: RunScope): Verdict<PhaseData<P>> | Promise<Verdict<PhaseData<P>>>;
}

/** Compiles a graph to a plan. Refuses missing and duplicate ids, processors without a hook and empty pipelines. */
export const compileGraph = (graph: SequenceNode): Plan => {
  checkGraph(graph);
  const guards = new Map<Phase, Guard<Phase>>();
  for (const phase of phaseNames) {
    const guard = compilePhase(phaseRow(phase), graph);
    if (guard) guards.set(phase, guard);
  }
  return {
    id: graph.id,
    graph,
    has: (phase) => guards.has(phase),
    run: (phase, data, scope) => {
      const guard = guards.get(phase);
      return guard ? (guard(data, scope) as never) : pass; // the map holds each phase's guard under its own name
    },
  };
};

const compilePhase = <P extends Phase>(row: PhaseRow<P>, graph: SequenceNode): Guard<P> | undefined => {
  const guard = compileNode(row, graph, graph.id);
  const facts = row.carries;
  if (!guard || !facts) return guard;
  return (data, scope) => guard(withMessageList(data, scope.host, facts), scope);
};

const compileNode = <P extends Phase>(row: PhaseRow<P>, node: GraphNode, path: string): Guard<P> | undefined => {
  switch (node.kind) {
    case 'guard':
      return typeof node.processor[row.hook] === 'function' ? guardOf({ row, processor: node.processor, path }) : undefined;
    case 'function':
      return functionGuard(row, node, path);
    case 'map':
      return undefined; // compiled with the block before it, see compileSequence
    case 'parallel':
      return compileParallel(row, node, path);
    case 'branch':
      return compileBranch(row, node, path);
    case 'sequence':
      return compileSequence(row, node, path);
    default:
      return node satisfies never;
  }
};

/** The name under which a node's result stands after a block, and its part of a path. */
export const nodeId = (node: GraphNode, index = 0): string => {
  if (node.kind === 'guard') return `processor:${node.id}`;
  return 'id' in node ? node.id : `${node.kind}.${index}`;
};

const pathTo = (path: string, node: GraphNode): string => ('id' in node ? `${path}/${node.id}` : path);

const compileSequence = <P extends Phase>(row: PhaseRow<P>, node: SequenceNode, path: string): Guard<P> | undefined => {
  let active = false;
  const guards = node.nodes.flatMap((inner, index): Guard<P>[] => {
    if (inner.kind === 'map') return [mapGuard(inner, node.nodes[index - 1], { row, path: pathTo(path, inner) })];
    const guard = compileNode(row, inner, pathTo(path, inner));
    active ||= guard !== undefined;
    return guard ? [guard] : [];
  });
  return active ? inSequence(guards) : undefined;
};

interface Site<P extends Phase> {
  row: PhaseRow<P>;
  path: string;
}

const compileParallel = <P extends Phase>(row: PhaseRow<P>, node: ParallelNode, path: string): Guard<P> | undefined => {
  const at = `${path}/parallel`;
  const branches = node.nodes.flatMap((inner, index): Branch<P>[] => {
    const guard = compileNode(row, inner, pathTo(`${at}.${index}`, inner));
    return guard ? [{ id: nodeId(inner, index), guard }] : [];
  });
  const [only] = branches;
  if (!only) return undefined;
  return branches.length === 1 ? only.guard : inParallel(branches, { row, path: at, overlap: node.overlap });
};

const compileBranch = <P extends Phase>(row: PhaseRow<P>, node: BranchNode, path: string): Guard<P> | undefined => {
  const at = `${path}/branch`;
  const arms = node.arms.flatMap((arm, index) => {
    const guard = compileNode(row, arm.node, pathTo(`${at}.${index}`, arm.node));
    return guard ? [{ id: nodeId(arm.node, index), guard, when: arm.when }] : [];
  });
  return arms.length > 0 ? inBranch(arms, { row, path: at, overlap: node.overlap }) : undefined;
};

const functionGuard = <P extends Phase>(row: PhaseRow<P>, node: FunctionNode, path: string): Guard<P> =>
  customGuard({ row, path }, node.id, (data, scope) => node.run(data, scope));

/** A map sees the block before it keyed by step id; every key holds the merged payload, so that no choice loses an edit. */
const mapGuard = <P extends Phase>(node: MapNode, before: GraphNode | undefined, site: Site<P>): Guard<P> =>
  customGuard(site, node.id, (data, scope) => node.run({ ...stepContext(data, scope), inputData: keyedBy(before, data) }));

/** What a map is given after a block: the merged payload under each step id. */
export const keyedBy = (before: GraphNode | undefined, data: PhaseData): unknown => {
  if (before?.kind === 'parallel') return Object.fromEntries(before.nodes.map((inner, index) => [nodeId(inner, index), data]));
  if (before?.kind === 'branch') return Object.fromEntries(before.arms.map(({ node }, index) => [nodeId(node, index), data]));
  return data;
};

/** A function of the author's as a guard. */
const customGuard = <P extends Phase>(
  { row, path }: Site<P>,
  id: string,
  run: (data: PhaseData<P>, scope: RunScope) => unknown,
): Guard<P> =>
  toGuard<P>({
    author: { processorId: id, phase: row.phase, path },
    run,
    read: (returned, data) => readPayload(returned, data, path),
  });

const readPayload = <P extends Phase>(returned: unknown, data: PhaseData<P>, path: string): Verdict<PhaseData<P>> => {
  if (returned === undefined || returned === null || returned === data) return pass;
  if (typeof returned === 'object' && (returned as { phase?: unknown }).phase === data.phase)
    return { kind: 'edit', data: { ...data, ...(returned as PhaseData<P>) } };
  const detail = `it returned ${describeValue(returned)}, expected the payload of phase ${data.phase}.`;
  throw new InterlockError('pipeline/invalid-payload', { path, detail });
};
