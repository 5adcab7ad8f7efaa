import { klona } from 'klona/full';
import type { ToolCall } from './ports.js';

/** What a tool returned: enough to answer the same call again. */
export interface FinishedCall {
  readonly key: string;
  readonly result: unknown;
}

/** Remembers what a call returned, before any guard changes it in place. */
export const finishedCall = (call: ToolCall, result: unknown): FinishedCall => ({ key: keyOfCall(call), result: klona(result) });

/**
 * Takes the result of an equal call out of what rejected attempts left. Each result answers one call: a step that asks twice
 * where its rejected attempt asked once runs the tool once more.
 */
export const takeFinished = (reusable: FinishedCall[], call: ToolCall): FinishedCall | undefined => {
  const key = keyOfCall(call);
  const index = reusable.findIndex((finished) => finished.key === key);
  return index === -1 ? undefined : reusable.splice(index, 1)[0];
};

/** Calls are equal where tool and arguments are; the order in which a model writes the arguments means nothing. */
export const keyOfCall = ({ toolName, args }: ToolCall): string => `${toolName} ${JSON.stringify(args, sortKeys)}`;

const sortKeys = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;
