import type { Processor } from '@mastra/core/processors';
import {
  createStep as createMastraStep,
  createWorkflow as createMastraWorkflow,
  isProcessor,
  type AnyWorkflow,
} from '@mastra/core/workflows';
import { InterlockError } from '../../errors.js';
import { checkIntegration } from '../../integration.js';
import type { BlockOptions } from '../../pipeline/block-options.js';
import { createBuilder, type PipelineBuilder } from '../../pipeline/builder.js';
import { hasAnyHook } from '../../pipeline/graph.js';
import { checkGraph } from '../../pipeline/verify/refuse.js';
import type { PipelineStep } from '../graph/compile.js';
import { guardNode } from '../graph/guard-node.js';
import { refusePromises } from '../graph/thenable.js';
import { toNode } from '../graph/to-graph.js';
import { processorStep, type ProcessorStep } from './step.js';
import { toWorkflow } from './to-workflow.js';

/** A pipeline under construction; see {@link pipeline}. */
export type Pipeline = PipelineBuilder<PipelineStep, AnyWorkflow>;

/**
 * Starts a pipeline. Compose it with `.then`, `.parallel` and `.branch`; `.commit()` makes it a Mastra workflow of type
 * `processor`, which every Mastra agent, engine and Studio takes. `blocks` says how its parallel blocks and branches merge where
 * they say nothing of their own.
 *
 * Raises when committed what `verify` finds as an error, such as `pipeline/duplicate-id`, `pipeline/empty`; `install/unsupported-version`.
 *
 * @example
 * const moderation = pipeline('moderation')
 *   .then(lengthGuard())
 *   .parallel([piiGuard(), spamGuard()])
 *   .branch([[mentionsMoney, financialAdviceGuard()], [otherwise, blockedTermsGuard({ terms })]])
 *   .commit();
 */
export const pipeline = (id: string, blocks?: BlockOptions): Pipeline => {
  checkIntegration('@mastra/core');
  if (typeof id !== 'string' || id === '') throw new InterlockError('pipeline/missing-id', { path: 'pipeline' });
  return refusePromises(createBuilder<PipelineStep, AnyWorkflow>(id, { toNode, commit: toWorkflow, blocks }));
};

/** A processor that can also make its own workflow step, as the specification's examples do. */
export type DefinedProcessor<P extends Processor> = P & { createStep(): ProcessorStep };

/**
 * Checks a processor and gives it `createStep()`.
 * Raises `pipeline/missing-id`, `pipeline/no-hook`.
 */
export const defineProcessor = <P extends Processor>(processor: P): DefinedProcessor<P> => {
  checkGraph({ kind: 'sequence', id: 'defineProcessor', nodes: [guardNode(processor)] });
  return Object.assign(processor, { createStep: () => processorStep(processor) });
};

const isProcessorLike = (value: unknown): value is Processor =>
  isProcessor(value) || (typeof value === 'object' && value !== null && !('execute' in value) && hasAnyHook(value as Processor));

/** Mastra's `createStep`, which also takes processors with hooks that Mastra's own steps never call. */
export const createStep = ((source: never, ...rest: never[]) =>
  isProcessorLike(source)
    ? processorStep(source)
    : (createMastraStep as (...all: never[]) => unknown)(source, ...rest)) as typeof createMastraStep & {
  (processor: Processor): ProcessorStep;
};

/** A processor as a step; anything else as it is. */
const asStep = (step: unknown): unknown => (isProcessorLike(step) ? processorStep(step) : step);

/**
 * Mastra's `createWorkflow`, whose `.then`, `.parallel` and `.branch` also take processors. Workflows made with it and with
 * Mastra's own are accepted wherever a pipeline is.
 */
export const createWorkflow = ((config: never) => {
  const workflow = createMastraWorkflow(config) as unknown as Builder;
  const { then, parallel, branch } = workflow;
  const widened = Object.assign(workflow, {
    then: (step: unknown, ...rest: unknown[]) => then.call(workflow, asStep(step), ...rest),
    parallel: (steps: unknown[], ...rest: unknown[]) => parallel.call(workflow, steps.map(asStep), ...rest),
    branch: (arms: [unknown, unknown][], ...rest: unknown[]) =>
      branch.call(
        workflow,
        arms.map(([when, step]) => [when, asStep(step)]),
        ...rest,
      ),
  });
  return refusePromises(widened);
}) as unknown as typeof createMastraWorkflow; // Mastra's type knows nothing of processors as steps

/** Mastra's builder, as far as it is widened. */
interface Builder {
  readonly id: string;
  then(...args: unknown[]): Builder;
  parallel(...args: unknown[]): Builder;
  branch(...args: unknown[]): Builder;
}
