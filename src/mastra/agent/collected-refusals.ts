import { isInterlockError, type InterlockError } from '../../errors.js';

/** A configuration error of an agent. */
export interface Refusal {
  readonly agentId: string;
  readonly error: InterlockError;
}

/** Shared by all copies of this package in a process: a command and the application that it loads may have one each. */
const place = Symbol.for('mastra-interlock.refusals');

type Collecting = { [place]?: Refusal[] };

/**
 * Collects the configuration errors of agents that `build` creates, which are then built without the faulty parts. A check of an
 * application so lists the errors of all agents. Do not run such agents.
 */
export const collectRefusals = async <T>(build: () => Promise<T>): Promise<{ built: T; refusals: readonly Refusal[] }> => {
  const refusals: Refusal[] = ((globalThis as Collecting)[place] = []);
  try {
    return { built: await build(), refusals };
  } finally {
    delete (globalThis as Collecting)[place];
  }
};

/** Runs a check of an agent's configuration. While refusals are collected, an error is recorded and `instead` is returned. */
export const collected = <T>(agentId: string, check: () => T, instead: T): T => {
  const refusals = (globalThis as Collecting)[place];
  if (!refusals) return check();
  try {
    return check();
  } catch (error) {
    if (!isInterlockError(error)) throw error;
    refusals.push({ agentId, error });
    return instead;
  }
};
