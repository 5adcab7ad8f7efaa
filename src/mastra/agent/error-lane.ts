import type { Processor } from '@mastra/core/processors';
import { phases } from '../../phase/table.js';
import { nodeId, type Plan } from '../../pipeline/compile.js';
import { mapGuards, processorsOf, type GraphNode, type GuardNode } from '../../pipeline/graph.js';
import { type PipelineStep, toGraph } from '../graph/to-graph.js';
import { compileLane, compileRecording } from '../workflow/guards.js';

interface ErrorLane {
  /** The error guards. */
  readonly own: readonly PipelineStep[];
  /** Guards of the other lanes that have a hook for failed calls. */
  readonly others: readonly PipelineStep[];
}

/**
 * Compiles the guards that run when a model call fails: first the error guards, then the error hooks of the other lanes, as in Mastra. A
 * processor in several lanes runs once. Undefined without guards.
 */
export const compileErrorLane = ({ own, others }: ErrorLane, id: string, recordsEdits?: boolean): Plan | undefined => {
  if (others.length === 0) return compileLane(own, id, recordsEdits);
  const lane = toGraph(own, id);
  const known = new Set(processorsOf(lane).map((processor) => processor.id));
  const nodes = [...lane.nodes];
  for (const node of others.map((step) => toGraph([step]))) {
    const rest = mapGuards(node, (guard) => (canMend(guard.processor) && !known.has(guard.id) ? guard : idle(guard)));
    const left = processorsOf(rest);
    if (left.length === 0) continue;
    nodes.push(rest);
    for (const processor of left) known.add(processor.id);
  }
  return compileRecording({ kind: 'sequence', id, nodes }, recordsEdits);
};

/** True if a processor in a step has a hook for failed calls. */
export const hasErrorHook = (step: PipelineStep): boolean => processorsOf(toGraph([step])).some(canMend);

const canMend = (processor: Processor): boolean => typeof processor[phases.apiError.hook] === 'function';

/** A node without effect at the position of a guard, so that conditions and maps find its result there. */
const idle = (guard: GuardNode): GraphNode => ({ kind: 'function', id: nodeId(guard), run: () => undefined, phases: new Set() });
