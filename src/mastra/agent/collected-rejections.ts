import { isInterlockError, type InterlockError } from '../../errors.js';

/** A configuration error of an agent. */
export interface Rejection {
  readonly agentId: string;
  readonly error: InterlockError;
}

/** Shared by all copies of this package in a process: a command and the application that it loads may have one each. */
const place = Symbol.for('mastra-interlock.refusals');

type Collecting = { [place]?: Rejection[] };

/**
 * Collects the configuration errors of agents that `build` creates, which are then built without the faulty parts. A check of an
 * application so lists the errors of all agents. Do not run such agents.
 */
export const collectRejections = async <T>(build: () => Promise<T>): Promise<{ built: T; rejections: readonly Rejection[] }> => {
  const rejections: Rejection[] = ((globalThis as Collecting)[place] = []);
  try {
    return { built: await build(), rejections };
  } finally {
    delete (globalThis as Collecting)[place];
  }
};

/** Runs a check of an agent's configuration. While refusals are collected, an error is recorded and `instead` is returned. */
export const collected = <T>(agentId: string, check: () => T, instead: T): T => {
  const rejections = (globalThis as Collecting)[place];
  if (!rejections) return check();
  try {
    return check();
  } catch (error) {
    if (!isInterlockError(error)) throw error;
    rejections.push({ agentId, error });
    return instead;
  }
};
