import type { Processor } from '@mastra/core/processors';
import type { PrepareStep } from '../call-options.js';

/**
 * A `prepareStep` function as a processor: the shorthand for `processInputStep`, with its arguments and its results. Runs put
 * it at the end of their input guards, so that it has the last word on model, tools and settings of a step.
 */
export class PrepareStepProcessor implements Processor<'prepare-step'> {
  readonly id = 'prepare-step';
  readonly name = 'Prepare Step Processor';
  readonly processInputStep: PrepareStep;

  constructor({ prepareStep }: { prepareStep: PrepareStep }) {
    this.processInputStep = (args) => prepareStep(args);
  }
}
