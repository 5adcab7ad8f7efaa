import { InterlockError } from '../errors.js';

/** The error for what only Mastra's own MessageList has. */
export const needsMastra = (path: string): InterlockError => new InterlockError('ai-sdk/needs-mastra', { path });

/**
 * Adds members to an object that it lacks: reading one raises an error that names what it requires. The members are not
 * enumerable. `absent` names all of them, so that the compiler reports members which a later version of Mastra adds.
 */
export const refusing = <Has extends object, Absent extends string>(
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
  return has as Has & Record<Absent, never>; // they are there now
};
