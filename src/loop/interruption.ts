/**
 * The engine did not keep a step, or wants the run to stand still. It is not the run's to see to: it goes through everything up to the
 * engine, which knows its cause.
 */
export class Interruption extends Error {
  override readonly name = 'Interruption';

  constructor(override readonly cause: unknown) {
    super('The engine interrupts the run.');
  }
}

/** What a catch-all does first: lets an interruption through. */
export const rethrowInterruption = (error: unknown): void => {
  if (error instanceof Interruption) throw error;
};
