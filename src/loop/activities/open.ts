import { startModelCall } from '../start-model-call.js';
import type { Outcome } from '../outcome.js';
import { readAhead } from '../read-ahead.js';
import { currentAttempt, setRunError, type Run } from '../run.js';

/** Calls the model while guards judge. Its answer is read ahead, and nothing is done with it: that is `call`'s, after them. */
export const open = async (run: Run): Promise<Outcome> => {
  const attempt = currentAttempt(run);
  const ahead = readAhead(startModelCall(run, attempt));
  attempt.ahead = ahead;
  try {
    await ahead.chunks;
    return { kind: 'done' };
  } catch (error) {
    if (attempt.ahead === ahead) setRunError(run, error); // else it was hung up, and that is no failure of the model's
    attempt.ahead = undefined;
    return { kind: 'api-error' };
  }
};
