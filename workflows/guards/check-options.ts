import { asGuardFault, throwFaults } from '../../src/option-fault.js';
import { aFunction, aName, fieldsOf, oneOf, type OptionKind } from '../../src/option-kind.js';
import type { EditStrategy, GuardOptions, JudgeStrategy } from './guard-options.js';

/** The kind of each option of a guard; a missing row does not compile. */
export type KindsOf<Options> = { readonly [Name in keyof Options]-?: OptionKind };

/** Names of kinds of entities; they become placeholders. */
export const kindForm = /^[a-z][a-z0-9-]{0,31}$/;

/** The options of every ready-made guard. */
export const sharedKinds: KindsOf<GuardOptions> = { id: aName, onViolation: aFunction };

const judging: JudgeStrategy[] = ['block', 'warn'];
const editing: EditStrategy[] = [...judging, 'redact'];
export const judgeStrategies = oneOf(...judging);
export const editStrategies = oneOf(...editing);

/**
 * Rejects options that a guard would misread or ignore: a limit that is not a number would never be reached, and a misspelt name
 * would have no effect. Raises one error for all of them: `guard/unknown-option`, `guard/invalid-option`.
 *
 * @param guard The guard's default id, for errors.
 */
export const checkOptions = <Options extends object>(guard: string, options: Options, kinds: KindsOf<Options>): void =>
  throwFaults(fieldsOf(kinds).faultsOf(options, guard).map(asGuardFault));
