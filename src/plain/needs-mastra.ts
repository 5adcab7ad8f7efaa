import { InterlockError } from '../errors.js';

/** The error for what only Mastra's own MessageList has. */
export const needsMastra = (path: string): InterlockError => new InterlockError('ai-sdk/needs-mastra', { path });

/**
 * Gives an object members that it does not have: who asks for one is told what it takes. They are not seen by whoever lists an
 * object's members. `absent` names all of them, so that the compiler knows of one that a later version of Mastra adds.
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
