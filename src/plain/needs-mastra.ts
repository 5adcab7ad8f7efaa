import { InterlockError } from '../errors.js';

/** The error for members that only Mastra's own MessageList has. */
export const needsMastra = (path: string): InterlockError => new InterlockError('ai-sdk/needs-mastra', { path });

/**
 * Adds missing members to an object: reading one raises an error with the requirement. The members are not enumerable. `absent` lists all
 * of them, so that the compiler reports members which a later version of Mastra adds.
 */
export const rejecting = <Has extends object, Absent extends string>(
  has: Has,
  absent: Record<Absent, true>,
  path: string,
): Has & Record<Absent, never> => {
  for (const name of Object.keys(absent))
    Object.defineProperty(has, name, {
      get: () => {
        throw needsMastra(`${path}.${name}`);
      },
    });
  return has as Has & Record<Absent, never>; // just added
};
