/** Recorded things, each of which is given out once, in their order. */
export interface Tape<T> {
  /** The next that fits, taken off the tape. */
  take(fits: (recorded: T) => boolean): T | undefined;
}

/** Makes a tape. */
export const createTape = <T>(recorded: readonly T[]): Tape<T> => {
  const rest = [...recorded];
  return {
    take: (fits) => {
      const index = rest.findIndex(fits);
      return index === -1 ? undefined : rest.splice(index, 1)[0];
    },
  };
};
