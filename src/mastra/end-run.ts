import { drive } from '../loop/drive.js';
import { conclude } from '../loop/ending.js';
import type { Run } from '../loop/run.js';
import type { CallCallbacks } from './call-options.js';
import { callEnded } from './callbacks.js';

/** Drives a run to its end and calls back. Never rejects, and whatever breaks inside, the stream closes. */
export const runToEnd = async (run: Run, callbacks: CallCallbacks): Promise<void> => {
  try {
    await drive(run);
  } catch (error) {
    run.error = error;
    await conclude(run, 'failed').catch(() => run.options.outlet.close());
  }
  await callEnded(run, callbacks);
};
