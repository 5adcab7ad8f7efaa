/** Runs somebody else's callback without letting it disturb the run. */
export const safely = async (callback: ((value: never) => unknown) | undefined, value: unknown): Promise<void> => {
  try {
    await callback?.(value as never); // each callback's value is made for it
  } catch {
    // By contract a failing callback never changes how a run went.
  }
};
