import { acceptedSteps, type Run } from '../loop/run.js';
import { errorOf, resultOf } from './run-output.js';

type Callback = (value: never) => unknown;

/** The callbacks of a call; Mastra's names and arguments. */
export interface CallCallbacks {
  onFinish?: Callback;
  onError?: Callback;
  onAbort?: Callback;
}

/** Calls back when a run has ended. What a callback throws is its own affair: the run is over. */
export const callbacksOf = ({ onFinish, onError, onAbort }: CallCallbacks) => ({
  ended: async (run: Run): Promise<void> => {
    if (run.status === 'failed') return safely(onError, { error: errorOf(run) });
    if (run.status === 'canceled') return safely(onAbort, { steps: acceptedSteps(run) });
    const result = resultOf(run);
    return safely(onFinish, { ...result, model: undefined });
  },
});

/** Runs somebody else's callback without letting it disturb the run. */
export const safely = async (callback: Callback | undefined, value: unknown): Promise<void> => {
  try {
    await callback?.(value as never);
  } catch {
    // By contract a failing callback never changes how a run went.
  }
};
