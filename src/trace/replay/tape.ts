/** Recorded items, each returned once, in their order. */
export interface Tape<T> {
  /** Removes and returns the next item that fits. */
  take(fits: (recorded: T) => boolean): T | undefined;
}

export const createTape = <T>(recorded: readonly T[]): Tape<T> => {
  const rest = [...recorded];
  return {
    take: (fits) => {
      const index = rest.findIndex(fits);
      return index === -1 ? undefined : rest.splice(index, 1)[0];
    },
  };
};
