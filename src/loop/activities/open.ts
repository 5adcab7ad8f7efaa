import { startModelCall } from '../model-call.js';
import type { Outcome } from '../outcome.js';
import { readAhead } from '../read-ahead.js';
import { currentAttempt, setRunError, type Run } from '../run.js';

/** Calls the model while guards judge. Reads its response ahead without using it; `call` uses it after the guards have passed. */
export const open = async (run: Run): Promise<Outcome> => {
  const attempt = currentAttempt(run);
  const ahead = readAhead(startModelCall(run, attempt));
  attempt.ahead = ahead;
  try {
    await ahead.response;
    return { kind: 'done' };
  } catch (error) {
    if (attempt.ahead === ahead) setRunError(run, error); // otherwise hangUp ended the call, which is not a model failure
    attempt.ahead = undefined;
    return { kind: 'api-error' };
  }
};
