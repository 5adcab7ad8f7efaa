/** Ctrl+C, as it means something different during a turn and between turns. */
export interface Interrupts {
  /** Runs a turn; an interrupt aborts its signal, a second one ends the program. */
  during<T>(turn: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Stops listening. */
  close(): void;
}

/** The exit code of a program that was ended by SIGINT. */
export const interrupted = 130;

/** One press of Ctrl+C comes several times: from the terminal, and relayed by what started the program. */
const samePressMs = 250;

/** Listens for SIGINT. `idle` is called for one that comes between turns. */
export const listenForInterrupts = (idle: () => void): Interrupts => {
  let current: AbortController | undefined;
  let pressedAt = -Infinity;
  const onInterrupt = () => {
    const isRelayed = performance.now() - pressedAt < samePressMs;
    pressedAt = performance.now();
    if (isRelayed) return;
    if (!current) return idle();
    if (current.signal.aborted) process.exit(interrupted);
    current.abort(new Error('Interrupted.'));
  };
  process.on('SIGINT', onInterrupt);
  return {
    during: async (turn) => {
      const controller = new AbortController();
      current = controller;
      try {
        return await turn(controller.signal);
      } finally {
        current = undefined;
      }
    },
    close: () => void process.off('SIGINT', onInterrupt),
  };
};
