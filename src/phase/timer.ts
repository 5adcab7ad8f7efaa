/** Runs something later, unless it is told not to before. */
export type SetTimer = (run: () => void, delayMs: number) => () => void;

/** The timer of the machine, as scopes hand it to guards. */
export const systemTimer: SetTimer = (run, delayMs) => {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
};
