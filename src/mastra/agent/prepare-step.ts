import type { Processor } from '@mastra/core/processors';
import type { PrepareStep } from '../call-options.js';

/**
 * A `prepareStep` function as a processor: the shorthand for `processInputStep`, with the same arguments and results. It runs
 * after the input guards, so that it decides the model, tools and settings of a step.
 */
export class PrepareStepProcessor implements Processor<'prepare-step'> {
  readonly id = 'prepare-step';
  readonly name = 'Prepare Step Processor';
  readonly processInputStep: PrepareStep;

  constructor({ prepareStep }: { prepareStep: PrepareStep }) {
    this.processInputStep = (args) => prepareStep(args);
  }
}
