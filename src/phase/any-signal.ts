/** A signal that aborts with the first of several. `AbortSignal.any` is missing in Next.js edge routes. */
export const anySignal = (given: readonly (AbortSignal | undefined)[]): AbortSignal => {
  const signals = given.filter((signal) => signal !== undefined);
  const [only] = signals;
  if (only && signals.length === 1) return only;
  if (typeof AbortSignal.any === 'function') return AbortSignal.any([...signals]);
  const controller = new AbortController();
  for (const signal of signals) {
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true, signal: controller.signal });
  }
  return controller.signal;
};
