import { klona } from 'klona/full';
import type { ToolCall } from './ports.js';

/** The result of a tool call, to reuse for an equal call. */
export interface FinishedCall {
  readonly key: string;
  readonly result: unknown;
}

/** Copies the result of a call before any guard changes it in place. */
export const finishedCall = (call: ToolCall, result: unknown): FinishedCall => ({ key: keyOfCall(call), result: klona(result) });

/**
 * Takes the result of an equal call from those of rejected attempts. Each result serves one call: if a step makes a call twice that its
 * rejected attempt made once, the tool runs once more.
 */
export const takeFinished = (reusable: FinishedCall[], call: ToolCall): FinishedCall | undefined => {
  if (reusable.length === 0) return undefined;
  const key = keyOfCall(call);
  const index = reusable.findIndex((finished) => finished.key === key);
  return index === -1 ? undefined : reusable.splice(index, 1)[0];
};

/** Calls are equal if tool and arguments are; the order of the arguments does not matter. */
export const keyOfCall = ({ toolName, args }: ToolCall): string => `${toolName} ${JSON.stringify(args, sortKeys)}`;

const sortKeys = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;
