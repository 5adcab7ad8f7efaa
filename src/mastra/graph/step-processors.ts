import type { Processor } from '@mastra/core/processors';

/** The processors of our steps; Mastra's own steps do not expose theirs. */
const processors = new WeakMap<object, Processor>();

export const rememberProcessor = (step: object, processor: Processor): void => void processors.set(step, processor);

/** The processor of one of our steps. */
export const processorOfStep = (step: object): Processor | undefined => processors.get(step);
