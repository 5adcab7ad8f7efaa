import type { Condition } from './graph.js';

/** The text of a function without parameters that returns a constant boolean, as written or minified. */
const constant = /^(?:async\s*)?\(\)\s*=>\s*(true|false|!0|!1)$/;

const constantOf = (when?: Condition): string | undefined => constant.exec(String(when))?.[1];

/** Whether a condition always holds: `otherwise`, or a function that only returns `true`. */
export const isAlways = (when?: Condition): boolean => ['true', '!0'].includes(constantOf(when) ?? '');

/** Whether a condition never holds: a function that only returns `false`. */
export const isNever = (when?: Condition): boolean => ['false', '!1'].includes(constantOf(when) ?? '');

/** Whether a condition has the same result for any input. */
export const isConstant = (when: Condition): boolean => constantOf(when) !== undefined;
