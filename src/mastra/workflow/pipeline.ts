import type { Processor } from '@mastra/core/processors';
import {
  createStep as createMastraStep,
  type createWorkflow as createMastraWorkflow,
  isProcessor,
  type AnyWorkflow,
  type DefaultEngineType,
  type ExecuteFunctionParams,
} from '@mastra/core/workflows';
import { checkIntegration } from '../../integration.js';
import { type BlockOptions, createBuilder, rejectPromises, type PipelineBuilder } from '../../pipeline/builder.js';
import type { AnyPayload, MapInput } from '../../pipeline/graph.js';
import { hasAnyHook } from '../../phase/table.js';
import { checkGraph } from '../../pipeline/verify/checks.js';
import { type PipelineStep, fromWorkflow, toNode } from '../graph/to-graph.js';
import { isPayloadSchema } from '../graph/foreign-step.js';
import { guardNode } from '../graph/guard-node.js';
import { processorStep, type ProcessorStep } from './step.js';
import { adopt } from './guards.js';
import { newWorkflow, toWorkflow } from './to-workflow.js';

/** A pipeline under construction; see {@link pipeline}. */
export type Pipeline = PipelineBuilder<PipelineStep, AnyWorkflow>;

/**
 * Starts a pipeline. Compose it with `.then`, `.parallel` and `.branch`; `.commit()` makes it a Mastra workflow of type
 * `processor`, which every Mastra agent, engine and Studio accepts. `blocks` are the defaults for merging its parallel blocks and
 * branches.
 *
 * `.commit()` raises each error that `verify` finds, such as `pipeline/duplicate-id`, `pipeline/empty`. `pipeline()` itself
 * raises `pipeline/missing-id` and `install/unsupported-version`.
 *
 * @example
 * const moderation = pipeline('moderation')
 *   .then(lengthGuard())
 *   .parallel([redactor({ strategy: 'replace' }), unicodeGuard()])
 *   .branch([[isLong, qualityGuard()], [otherwise, blockedTermsGuard({ terms })]])
 *   .commit();
 */
export const pipeline = (id: string, blocks?: BlockOptions): Pipeline => {
  checkIntegration('@mastra/core');
  return createBuilder<PipelineStep, AnyWorkflow>(id, { toNode, commit: toWorkflow, blocks });
};

/** A processor that can create its own workflow step, as in the specification's examples. */
export type DefinedProcessor<P extends Processor> = P & { createStep(): ProcessorStep };

/**
 * Checks a processor and gives it `createStep()`. Raises `pipeline/missing-id`, `pipeline/no-hook`.
 */
export const defineProcessor = <P extends Processor>(processor: P): DefinedProcessor<P> => {
  checkGraph({ kind: 'sequence', id: 'defineProcessor', nodes: [guardNode(processor)] });
  return Object.assign(processor, { createStep: () => processorStep(processor) });
};

const isProcessorLike = (value: unknown): value is Processor =>
  isProcessor(value) || (typeof value === 'object' && value !== null && !('execute' in value) && hasAnyHook(value));

/** A processor, and no other object from which Mastra creates steps. */
type OnlyProcessor = Processor & { readonly execute?: never; readonly generate?: never };

/** Mastra's `createStep`, which also accepts processors with hooks that Mastra's own steps never call. */
export const createStep: ((processor: OnlyProcessor) => ProcessorStep) & typeof createMastraStep = (...source: unknown[]) =>
  (isProcessorLike(source[0]) ? processorStep(source[0]) : createMastraStep(...(source as [never]))) as never; // by its arguments

/** A processor as a step; other values unchanged. */
const asStep = (step: unknown): unknown => (isProcessorLike(step) ? processorStep(step) : step);

/** An entry of a guard workflow. */
type GuardWorkflowStep = Processor | ProcessorStep | AnyWorkflow | { readonly id: string; execute(call: never): unknown };

type StepCall<Input> = ExecuteFunctionParams<unknown, Input, unknown, unknown, unknown, DefaultEngineType>;

/** The argument of a condition; see the table of supported features in docs/guide/mastra.md. */
type ConditionCall = Omit<StepCall<AnyPayload>, 'setState' | 'suspend' | 'abort' | 'bail'>;

/** The argument of a map. */
type MapCall<Input> = Omit<StepCall<Input>, 'suspend' | 'abort'>;

/** A workflow over phase payloads, under construction. */
interface GuardWorkflow {
  readonly id: string;
  /** Adds a step after the last. */
  then(step: GuardWorkflowStep): GuardWorkflow;
  /** Adds parallel steps: each works on a snapshot, and their edits are merged. */
  parallel(steps: readonly GuardWorkflowStep[]): GuardWorkflow;
  /** Adds cases. Those whose condition is true run and are merged. */
  branch(arms: readonly (readonly [(call: ConditionCall) => boolean | Promise<boolean>, GuardWorkflowStep])[]): GuardWorkflow;
  /** Adds a function over the payload; it returns its changes, or nothing. */
  map(run: (call: MapCall<MapInput>) => unknown, options?: { readonly id?: string }): GuardWorkflow;
  map(run: (call: MapCall<never>) => unknown, options?: { readonly id?: string }): GuardWorkflow;
  /** Makes it equal to a pipeline with the same steps. Raises `pipeline/unsupported-step`. */
  commit(): AnyWorkflow;
}

/** A schema of payloads, typed by its output: comparing the schemas themselves takes the compiler minutes. */
interface PayloadSchema {
  readonly _zod: { readonly output: { readonly phase: string } };
}

interface GuardWorkflowConfig {
  readonly id: string;
  readonly description?: string;
  readonly type?: 'default' | 'processor';
  readonly inputSchema: PayloadSchema;
  readonly outputSchema: PayloadSchema;
}

const isOfGuards = ({ inputSchema, type }: Partial<Record<keyof GuardWorkflowConfig, unknown>>): boolean =>
  type === 'processor' || isPayloadSchema(inputSchema);

/**
 * Mastra's `createWorkflow`, whose `.then`, `.parallel` and `.branch` also accept processors. Over phase payloads (with
 * `ProcessorStepSchema`) it creates the same workflow as `pipeline`: after `commit()` it has the same meaning in an agent, in
 * Mastra's engine and in Studio.
 */
export const createWorkflow: ((config: GuardWorkflowConfig) => GuardWorkflow) & typeof createMastraWorkflow = (
  config: Partial<Record<keyof GuardWorkflowConfig, unknown>>,
) => {
  const workflow = newWorkflow(config);
  const { then, parallel, branch, commit } = workflow;
  const widened = Object.assign(workflow, {
    then: (step: unknown, ...rest: unknown[]) => then.call(workflow, asStep(step), ...rest),
    parallel: (steps: unknown[], ...rest: unknown[]) => parallel.call(workflow, steps.map(asStep), ...rest),
    branch: (arms: [unknown, unknown][], ...rest: unknown[]) =>
      branch.call(
        workflow,
        arms.map(([when, step]) => [when, asStep(step)]),
        ...rest,
      ),
    ...(isOfGuards(config) && {
      commit: () => {
        // `adopt` commits the workflow again.
        const made = commit.call(workflow);
        Reflect.deleteProperty(workflow, 'commit');
        checkGraph(fromWorkflow(adopt(made)));
        return made;
      },
    }),
  });
  return rejectPromises(widened) as never; // with the methods of both
};
