import { InterlockError } from '../../src/errors.js';
import { aFunction, aName, anObject, oneOf, type OptionKind } from '../../src/option-kind.js';
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
 * would have no effect. Raises `guard/unknown-option` and `guard/invalid-option`.
 *
 * @param guard The guard's default id, for errors.
 */
export const checkOptions = <Options extends object>(guard: string, options: Options, kinds: KindsOf<Options>): void => {
  const throwFault = (fault: { path: string; detail: string } | undefined): void => {
    if (fault) throw new InterlockError('guard/invalid-option', fault);
  };
  throwFault(anObject.faultOf(options, guard));
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(kinds, name));
  if (unknown !== undefined) throw new InterlockError('guard/unknown-option', { path: `${guard}.${unknown}` });
  for (const [name, kind] of Object.entries<OptionKind>(kinds)) {
    const value: unknown = options[name as keyof Options];
    if (value !== undefined || kind.isNeeded) throwFault(kind.faultOf(value, `${guard}.${name}`));
  }
};
