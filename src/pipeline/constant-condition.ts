import type { Condition } from './graph.js';

/** The text of a function that takes nothing and gives one truth value, as it is written or made small. */
const constant = /^(?:async\s*)?\(\)\s*=>\s*(true|false|!0|!1)$/;

const constantOf = (when?: Condition): string | undefined => constant.exec(String(when))?.[1];

/** Whether a condition holds whatever it is given: `otherwise`, or a function that says nothing but `true`. */
export const isAlways = (when?: Condition): boolean => ['true', '!0'].includes(constantOf(when) ?? '');

/** Whether a condition never holds: a function that says nothing but `false`. */
export const isNever = (when?: Condition): boolean => ['false', '!1'].includes(constantOf(when) ?? '');

/** Whether a condition says the same whatever it is given. */
export const isConstant = (when: Condition): boolean => constantOf(when) !== undefined;
