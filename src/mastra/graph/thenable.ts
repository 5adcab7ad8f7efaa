import { InterlockError } from '../../errors.js';

type Then = (...args: never[]) => unknown;

/**
 * Makes an object with its own `then` fail as the value of a promise: an asynchronous function that returns a pipeline or a
 * workflow would otherwise never settle. Raises `pipeline/invalid-step`, as that promise's rejection.
 */
export const rejectPromises = <T extends { readonly id: string; then: Then }>(thenable: T): T => {
  const { then } = thenable;
  const guarded = (...args: never[]): unknown => {
    if (args.length !== 2 || !args.every((arg) => typeof arg === 'function')) return Reflect.apply(then, thenable, args);
    const detail = 'a promise cannot hold a pipeline, which has a then of its own; return it in an array.';
    throw new InterlockError('pipeline/invalid-step', { path: thenable.id, detail });
  };
  return Object.defineProperty(thenable, 'then', { value: guarded, configurable: true, writable: true, enumerable: true });
};
