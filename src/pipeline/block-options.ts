import { InterlockError } from '../errors.js';
import { throwFaults } from '../option-fault.js';
import { aFunction, either, fieldsOf, oneOf, type OptionKind } from '../option-kind.js';
import type { Condition, StaleVerdicts } from './graph.js';
import type { OverlapRule } from './overlap.js';

/** Options of a block for merging its branches; those of a pipeline apply to all its direct blocks. */
export interface BlockOptions {
  /** The rule for two branches that edit the same words. Default: the pipeline's rule, whose default is `'widest-redaction'`. */
  readonly overlap?: OverlapRule;
  /** The handling of a pass on a payload that a sibling changed. Default: the pipeline's, and there `'report'`. */
  readonly staleVerdicts?: StaleVerdicts;
}

const kinds: { readonly [Name in keyof BlockOptions]-?: OptionKind } = {
  overlap: either(oneOf('widest-redaction', 'first', 'last', 'error'), aFunction),
  staleVerdicts: oneOf('report', 'rerun'),
};
const options = fieldsOf(kinds);

/** Refuses options that a block would ignore or misread, in one error. Raises `pipeline/invalid-option`. */
export const checkBlockOptions = (given: object, path: string): void =>
  throwFaults(options.faultsOf(given, path).map((fault) => ({ code: 'pipeline/invalid-option', ...fault })));

/** The steps of a block. Raises `pipeline/invalid-step` if they are not an array. */
export const stepsOf = <Step>(steps: readonly Step[], path: string): readonly Step[] => {
  if (!Array.isArray(steps)) reject(path, 'steps side by side are given in an array.');
  return steps;
};

/** The arms of a branch. Raises `pipeline/invalid-step` if they are not pairs of a condition and a step. */
export const armsOf = <Step>(
  arms: readonly (readonly [Condition, Step])[],
  path: string,
): readonly (readonly [Condition, Step])[] => {
  if (!Array.isArray(arms)) reject(path, 'arms are given in an array, each as [condition, step].');
  for (const [index, arm] of arms.entries())
    if (!Array.isArray(arm) || typeof arm[0] !== 'function')
      reject(`${path}/${index}`, 'an arm is a pair [condition, step], and its condition a function.');
  return arms;
};

const reject = (path: string, detail: string): never => {
  throw new InterlockError('pipeline/invalid-step', { path, detail });
};
