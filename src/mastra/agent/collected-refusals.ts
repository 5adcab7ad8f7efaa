import { isInterlockError, type InterlockError } from '../../errors.js';

/** What an agent refused of its configuration. */
export interface Refusal {
  readonly agentId: string;
  readonly error: InterlockError;
}

/** Shared by all copies of this package in a process: a command and the application that it loads may have one each. */
const place = Symbol.for('mastra-interlock.refusals');

type Collecting = { [place]?: Refusal[] };

/**
 * Has agents that `build` makes report what they refuse, and be built without it: a check of an application lists all refusals of
 * all agents. Such agents are not to be run.
 */
export const collectRefusals = async <T>(build: () => Promise<T>): Promise<{ built: T; refusals: readonly Refusal[] }> => {
  const refusals: Refusal[] = ((globalThis as Collecting)[place] = []);
  try {
    return { built: await build(), refusals };
  } finally {
    delete (globalThis as Collecting)[place];
  }
};

/** Runs a check of an agent's configuration. Where refusals are collected, one is noted, and the result is `instead`. */
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
