import { beginCall } from '../begin-call.js';
import type { Outcome } from '../outcome.js';
import { readAhead } from '../read-ahead.js';
import { currentAttempt, noteError, type Run } from '../run.js';

/** Calls the model while guards judge. Its answer is read ahead, and nothing is done with it: that is `call`'s, after them. */
export const open = async (run: Run): Promise<Outcome> => {
  const attempt = currentAttempt(run);
  const ahead = readAhead(beginCall(run, attempt));
  attempt.ahead = ahead;
  try {
    await ahead.chunks;
    return { kind: 'done' };
  } catch (error) {
    if (attempt.ahead === ahead) noteError(run, error); // else it was hung up, and that is no failure of the model's
    attempt.ahead = undefined;
    return { kind: 'api-error' };
  }
};
