import { readyGuardNames, type ChosenGuard } from '../../protocol/again.js';
import type { PipelineInfo } from '../../protocol/catalog.js';
import { isRecord, type Payload } from '../workbench/form/json-schema.js';
import { guardsIn } from '../../protocol/shapes.js';

/** The settings of a page of guard replays, by their names in its address. */
export interface GuardChoice {
  /** The path of a guard of the application, or the name of a built-in one; empty if none is chosen. */
  readonly guard: string;
  /** JSON, or empty. */
  readonly options: string;
  /** The id of the guard that it replaces; empty for its own id. */
  readonly instead: string;
  /** Empty for all agents. */
  readonly agent: string;
  readonly last: number;
}

export const runCounts = [20, 50, 100, 200] as const;

export const readChoice = (query: URLSearchParams): GuardChoice => {
  const text = (name: string): string => query.get(name) ?? '';
  const last = runCounts.find((one) => String(one) === text('last')) ?? runCounts[1];
  return { guard: text('guard'), options: text('options'), instead: text('instead'), agent: text('agent'), last };
};

export const isReady = (guard: string): boolean => readyGuardNames.some((name) => name === guard);

/** The guard in the form of the server's API. */
export const chosenGuard = (
  { guard, options: text }: GuardChoice,
  pipelines: readonly PipelineInfo[],
): ChosenGuard | undefined => {
  const options = readOptions(text);
  const own = options && { options };
  if (isReady(guard)) return { kind: 'ready', name: guard, ...own };
  const pipeline = pipelines.find(({ graph }) => guardsIn(graph).some(({ path }) => path === guard));
  return pipeline && { kind: 'own', pipelineId: pipeline.id, path: guard, ...own };
};

/** The policy that a guard of the application has. */
export const policyAt = (guard: string, pipelines: readonly PipelineInfo[]): Payload => {
  const policy = pipelines.flatMap(({ graph }) => guardsIn(graph)).find(({ path }) => path === guard)?.policy;
  return isRecord(policy) ? policy : {};
};

/** Options in an address; undefined if there are none. */
export const readOptions = (text: string): Payload | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
};
