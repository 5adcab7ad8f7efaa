import type { Processor } from '@mastra/core/processors';

const mark = Symbol('internal');

/** Marks a processor of the loop itself, which has no place in the traces of an application. Stream hooks are not covered. */
export const internal = (processor: Processor): Processor => Object.assign(processor, { [mark]: true });

export const isInternal = (processor: object | undefined): boolean => processor !== undefined && mark in processor;
