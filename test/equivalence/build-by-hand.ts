import { createStep, createWorkflow, type AnyWorkflow } from '@mastra/core/workflows';

import { processorStep } from '../../src/index.js';
import { ProcessorStepSchema } from '../../schemas/index.js';
import { processorOf, type Acting } from './acting.js';
import { conditionOf, maps } from './build.js';
import type { SequenceSpec, Spec } from './spec.js';

/** The used part of Mastra's builder; its types follow the schemas of steps. */
interface Builder {
  then(step: unknown): Builder;
  parallel(steps: readonly unknown[]): Builder;
  branch(arms: readonly (readonly [unknown, unknown])[]): Builder;
  map(run: unknown): Builder;
  commit(): AnyWorkflow;
}

/** Builds a drawn pipeline like an author with Mastra's own builder; blocks merge by the defaults. */
export const buildByHand = ({ id, nodes }: SequenceSpec, acting: Acting): AnyWorkflow => {
  const schemas = { inputSchema: ProcessorStepSchema, outputSchema: ProcessorStepSchema };
  let built = createWorkflow({ id, ...schemas }) as unknown as Builder;
  for (const node of nodes) built = append(built, node, acting);
  return built.commit();
};

const append = (built: Builder, spec: Spec, acting: Acting): Builder => {
  switch (spec.kind) {
    case 'guard':
    case 'function':
    case 'sequence':
      return built.then(stepOf(spec, acting));
    case 'map':
      return built.map(maps[spec.pick]);
    case 'parallel':
      return built.parallel(spec.nodes.map((node) => stepOf(node, acting)));
    case 'branch':
      return built.branch(spec.arms.map(({ when, node }) => [conditionOf(when, acting), stepOf(node, acting)]));
    default:
      return spec satisfies never;
  }
};

const stepOf = (spec: Spec, acting: Acting): unknown => {
  switch (spec.kind) {
    case 'guard':
      return processorStep(processorOf(spec, acting));
    case 'function':
      return rawStep(spec.id, spec.sets);
    case 'sequence':
      return buildByHand(spec, acting);
    case 'map':
    case 'parallel':
    case 'branch':
      return buildByHand({ kind: 'sequence', id: `room-of-${acting.unique()}`, nodes: [spec] }, acting);
    default:
      return spec satisfies never;
  }
};

/** An author's step that reads the workflow's input. */
interface StepArgs {
  readonly inputData: { readonly phase: string };
  getInitData(): unknown;
}

const rawStep = (id: string, sets: boolean): unknown =>
  createStep({
    id,
    inputSchema: ProcessorStepSchema,
    outputSchema: ProcessorStepSchema,
    execute: async ({ inputData, getInitData }: StepArgs) => {
      const { phase } = getInitData() as { phase: string }; // the workflow's input
      return (sets && phase === inputData.phase ? { ...inputData, retryCount: 3 } : inputData) as never; // its schema lacks the name
    },
  } as never);
