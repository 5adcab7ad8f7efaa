/**
 * The value, or undefined as soon as the signal, if there is one, is aborted: does not wait for work that ignores the signal. Without a
 * signal the promise is also a new one: the stack of an error, which traces record, ends here in both cases.
 */
export const untilAborted = <T>(value: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    if (!signal) return void value.then(resolve, reject);
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
