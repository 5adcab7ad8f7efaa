import { inheriting } from '../phase/plain-data.js';
import { InterlockError } from '../errors.js';
import { isObject } from '../option-kind.js';
import { stepOf } from '../guard/guard.js';
import { guardStep, inSequence, type Guard, type GuardStep } from '../guard/in-sequence.js';
import { whenReady } from '../phase/awaitable.js';
import type { Phase, PhaseData, PhaseRow } from '../phase/row.js';
import type { RunScope } from '../phase/scope.js';
import type { Host } from '../phase/host.js';
import { adopted, current, describeValue, isPresent } from '../phase/settle-messages.js';
import { pass, type Verdict } from '../verdict.js';
import { inBranch, armsOf, stepContext } from './branch.js';
import {
  childrenOf,
  nameOf,
  type BranchNode,
  type GuardNode,
  type GraphNode,
  type MapNode,
  type PayloadFunction,
  type ParallelNode,
  type SequenceNode,
} from './graph.js';
import { framedSteps, needsFrame, openFrame } from './frame.js';
import type { Block } from './merge-branches.js';
import { inParallel } from './parallel.js';
import { recordingEdits } from './recorded-edits.js';
import { overlapModel, withPolicy } from './with-policy.js';

/** The steps of a node in a phase; empty if it has nothing to do. Nested sequences are flattened. */
export const stepsOf = <P extends Phase>(row: PhaseRow<P>, node: GraphNode, path: string): GuardStep<P>[] => {
  switch (node.kind) {
    case 'guard':
      return guardSteps(row, node, path);
    case 'function':
      return node.phases?.has(row.phase) === false ? [] : [functionStep({ row, path, id: node.id }, node.run)];
    case 'map':
      return []; // see memberSteps
    case 'parallel':
      return parallelSteps(row, node, path);
    case 'branch':
      return branchSteps(row, node, path);
    case 'sequence':
      return sequenceSteps(row, node, path);
    default:
      return node satisfies never;
  }
};

const guardSteps = <P extends Phase>(row: PhaseRow<P>, node: GuardNode, path: string): GuardStep<P>[] => {
  const { processor, policy, recordsEdits, traits } = node;
  if (typeof processor[row.hook] !== 'function') return [];
  const judged = withPolicy(stepOf({ row, processor, path, traits }), { row, policy });
  const step = recordsEdits ? recordingEdits(judged) : judged;
  return [overlapModel(step, { row, policy })];
};

/** The key of a node's result after a block. */
export const nodeId = (node: GraphNode, index = 0): string =>
  node.kind === 'guard' ? `processor:${node.id}` : nameOf(node, index);

const sequenceSteps = <P extends Phase>(row: PhaseRow<P>, sequence: SequenceNode, path: string): GuardStep<P>[] => {
  const { nodes } = sequence;
  const own = nodes.map((_, index) => memberSteps(row, nodes, { path, index }));
  const isActive = nodes.some((node, index) => node.kind !== 'map' && own[index]?.length);
  if (!isActive) return []; // a map alone guards nothing
  if (!needsFrame(sequence)) return own.flat();
  const members = nodes.map((node, index) => ({ ids: resultIdsOf(node, index), steps: own[index] ?? [] }));
  return [blockStep(row, path, inFrame(sequence.id, inSequence(framedSteps(members))))];
};

/** The names of a node's result for a workflow's functions. */
const resultIdsOf = (node: GraphNode, index: number): string[] =>
  node.kind === 'parallel' || node.kind === 'branch' ? childrenOf(node).map(nodeId) : [nodeId(node, index)];

/** The steps of one node of a sequence in a phase; a map needs the block before it. */
export const memberSteps = <P extends Phase>(
  row: PhaseRow<P>,
  nodes: readonly GraphNode[],
  { path, index }: { path: string; index: number },
): GuardStep<P>[] => {
  const node = nodes[index] as GraphNode; // the caller passes a valid index
  const at = `${path}/${nameOf(node, index)}`;
  if (node.kind !== 'map') return stepsOf(row, node, at);
  return [functionStep({ row, path: at, id: node.id }, mapOf(node, nodes[index - 1]))];
};

const parallelSteps = <P extends Phase>(row: PhaseRow<P>, node: ParallelNode, path: string): GuardStep<P>[] => {
  const branches = branchesOf(row, node, path);
  const [only] = branches;
  if (!only) return [];
  if (branches.length === 1) return only.steps; // a single branch needs no snapshot
  return [blockStep(row, path, inParallel(branches, blockOf(row, node, path)))];
};

const branchSteps = <P extends Phase>(row: PhaseRow<P>, node: BranchNode, path: string): GuardStep<P>[] => {
  const arms = armsOf(node, branchesOf(row, node, path), path);
  return arms.length > 0 ? [blockStep(row, path, inBranch(arms, blockOf(row, node, path)))] : [];
};

/** A block of a graph in the form for its merge. */
export const blockOf = <P extends Phase>(
  row: PhaseRow<P>,
  { overlap, staleVerdicts = 'report' }: ParallelNode | BranchNode,
  path: string,
): Block<P> => ({ row, path, overlap, staleVerdicts });

/** The branches of a block in a phase: its nodes that have something to do there. */
export const branchesOf = <P extends Phase>(row: PhaseRow<P>, node: ParallelNode | BranchNode, path: string) =>
  childrenOf(node).flatMap((inner, index) => {
    const steps = stepsOf(row, inner, `${path}/${nameOf(inner, index)}`);
    return steps.length > 0 ? [{ id: nodeId(inner, index), index, guard: inSequence(steps), steps }] : [];
  });

/** A block as one step; the guards inside it report their own verdicts. */
const blockStep = <P extends Phase>({ phase }: PhaseRow<P>, path: string, run: Guard<P>): GuardStep<P> =>
  guardStep({ processorId: path, phase, path }, run);

interface CompileSite<P extends Phase> {
  row: PhaseRow<P>;
  path: string;
  id: string;
}

/** A function of the author as a step. */
const functionStep = <P extends Phase>(
  { row, path, id }: CompileSite<P>,
  run: (data: PhaseData<P>, scope: RunScope) => unknown,
): GuardStep<P> => ({
  author: { processorId: id, phase: row.phase, path },
  skips: (data) => 'isError' in data && data.isError === true, // it is meant for results
  run: (data, scope) => run(current(data, scope.host, row.carries), scope),
  read: (returned, data, { host }) => readPayload(returned, data, { row, path, id, host }),
});

/**
 * The function of a map. It gets the merged payload, after a block also under each step id, so that no choice loses an edit; these keys are
 * no changes when they are returned.
 */
export const mapOf = ({ run }: MapNode, before: GraphNode | undefined): PayloadFunction => {
  const ids = before?.kind === 'parallel' || before?.kind === 'branch' ? childrenOf(before).map(nodeId) : [];
  if (ids.length === 0) return (data, scope) => run(stepContext(data, scope));
  return (data, scope) => {
    const input: object = Object.assign(Object.create(data), Object.fromEntries(ids.map((id) => [id, data])));
    const withoutKeys = (returned: unknown): unknown => {
      if (returned === input) return undefined;
      if (!isObject(returned) || !ids.some((id) => returned[id] === data)) return returned;
      return Object.fromEntries(Object.entries(returned).filter(([name]) => !ids.includes(name)));
    };
    return whenReady(run(stepContext(input, scope)), withoutKeys);
  };
};

/**
 * Reads what a function returned, as Mastra reads it: its fields count, its phase does not, because a function also runs in phases that
 * its author did not think of. Raises `pipeline/invalid-payload`.
 */
const readPayload = <P extends Phase>(
  returned: unknown,
  data: PhaseData<P>,
  { row, path, id, host }: CompileSite<P> & { host: Host },
): Verdict<PhaseData<P>> => {
  if (returned === undefined || returned === null || returned === data) return pass;
  if (host.messages.is(returned) || !isPayload(returned, data)) {
    const detail = `it returned ${describeValue(returned)}, expected the payload of phase ${data.phase}.`;
    throw new InterlockError('pipeline/invalid-payload', { path, detail });
  }
  const changes = Object.entries(returned).filter(
    ([name, value]) => value !== Reflect.get(data, name) && counts(name, value, { row, isOwn: returned.phase === data.phase }),
  );
  if (changes.length === 0) return pass;
  const made = { ...data, ...Object.fromEntries(changes) };
  return { kind: 'edit', data: row.carries ? adopted(made, { data, processorId: id, host }, row.carries) : made };
};

const messageFields: ReadonlySet<string> = new Set(['messages', 'messageList', 'systemMessages']);

/** Whether a value is an object without fields, or has a field of a payload. */
const isPayload = (value: unknown, data: PhaseData): value is { readonly phase?: unknown } => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const names = Object.keys(value);
  return names.length === 0 || names.some((name) => name in data || messageFields.has(name));
};

/** Whether a returned field is content. An empty array of messages in the payload of another phase means that there were none. */
const counts = (name: string, value: unknown, { row, isOwn }: { row: Pick<PhaseRow, 'carries'>; isOwn: boolean }): boolean => {
  if (!messageFields.has(name)) return name !== 'phase';
  return row.carries !== undefined && isPresent(value) && (isOwn || !Array.isArray(value) || value.length > 0);
};

/** Runs a guard as the steps of one workflow: with a frame of its own, which shares the state of the outer workflow. */
const inFrame =
  <P extends Phase>(workflowId: string, guard: Guard<P>): Guard<P> =>
  (data, scope) => {
    const workflow = openFrame(workflowId, data, scope.workflow);
    return guard(data, inheriting(scope, { workflow }));
  };
