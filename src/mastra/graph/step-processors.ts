import type { Processor } from '@mastra/core/processors';

/** Which processor a step was made of; Mastra's own steps keep theirs to themselves. */
const processors = new WeakMap<object, Processor>();

export const rememberProcessor = (step: object, processor: Processor): void => void processors.set(step, processor);

/** The processor that a step of ours was made of. */
export const processorOfStep = (step: object): Processor | undefined => processors.get(step);
