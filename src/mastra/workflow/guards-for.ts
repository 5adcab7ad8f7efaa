import type { ErrorProcessor, InputProcessor, OutputProcessor, Processor } from '@mastra/core/processors';
import { phaseNames, phaseRow } from '../../phase/table.js';
import type { SequenceNode } from '../../pipeline/graph.js';
import { compile, stateProcessorsOf, type Compilable } from '../graph/to-graph.js';
import { hooksOf } from '../graph/run-hook.js';
import type { Lane } from './guards.js';
import { host } from './scope.js';
import { withMadeCalls } from './unmade-calls.js';

/** The pipelines of the processors for stock agents. */
const graphs = new WeakMap<object, SequenceNode>();

/** The pipeline of a processor from {@link guardsFor}. Undefined for other processors. */
export const pipelineOf = (processor: object): SequenceNode | undefined => graphs.get(processor);

/** Processor arrays of a stock Mastra agent for one pipeline: spread them into its configuration. */
export interface LaneGuards {
  inputProcessors: InputProcessor[];
  outputProcessors: OutputProcessor[];
  errorProcessors: ErrorProcessor[];
}

/**
 * Compiles a pipeline for a stock Mastra agent: one processor for each lane in which the pipeline has hooks. The agent also calls
 * hooks that it would never call in a workflow, and calls them per chunk without starting a run.
 *
 * Guarantees of the loop do not apply: a stock agent still runs a step's tools after a guard tripped on the step, and grants
 * retries in only one hook; docs/guide/guarantees.md has the full list. A stream guard that fails trips, because a stock agent would
 * pass the chunk. Use {@link InterlockAgent} for these guarantees.
 *
 * @example
 * new Agent({ id: 'support', name: 'Support', instructions, model, ...guardsFor(moderation) });
 */
export const guardsFor = (source: Compilable): LaneGuards => {
  const plan = compile(source);
  const hooks = withMadeCalls(hooksOf(plan, () => host) as never) as Readonly<Record<string, unknown>>; // called by Mastra
  const lane = <P extends Processor>(name: Lane): P[] => {
    const own = phaseNames.map((phase) => phaseRow(phase)).filter((row) => row.lane === name && hooks[row.hook] !== undefined);
    if (own.length === 0) return [];
    const processor = { id: plan.id, ...Object.fromEntries(own.map(({ hook }) => [hook, hooks[hook]])) } as P; // it has at least one
    graphs.set(processor, plan.graph);
    return [processor];
  };
  return {
    inputProcessors: [...lane<InputProcessor>('input'), ...(stateProcessorsOf(plan.graph) as InputProcessor[])],
    outputProcessors: lane('output'),
    errorProcessors: lane('error'),
  };
};
