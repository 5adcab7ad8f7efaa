/** The value, or undefined as soon as the signal is aborted: does not wait for work that ignores the signal. */
export const untilAborted = <T>(value: Promise<T>, signal: AbortSignal): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const giveUp = () => resolve(undefined);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    const settle =
      <V>(end: (value: V) => void) =>
      (made: V) => {
        signal.removeEventListener('abort', giveUp);
        end(made);
      };
    value.then(settle(resolve), settle(reject));
  });
