/**
 * The engine did not store a step, or requires the run to pause. The run must not handle it: it passes through all code up to the engine,
 * which has its cause.
 */
export class Interruption extends Error {
  override readonly name = 'Interruption';

  constructor(cause: unknown) {
    super('The engine interrupts the run.', { cause });
  }
}

/** Rethrows an interruption. Every catch-all calls it first. */
export const rethrowInterruption = (error: unknown): void => {
  if (error instanceof Interruption) throw error;
};
