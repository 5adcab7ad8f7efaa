/** The part of `node:timers/promises` that the scripted model uses, for browsers. */
export const setTimeout = <T>(ms: number, value?: T): Promise<T | undefined> =>
  new Promise((resolve) => globalThis.setTimeout(() => resolve(value), ms));
