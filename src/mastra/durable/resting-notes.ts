import { decode, encode } from '../../loop/state/encode.js';
import type { Run } from '../../loop/run.js';
import { waitingCalls } from '../../loop/tell-waiting.js';
import { toListed, type ListedRun } from '../agent/suspended-runs.js';

/** What is noted of a run that rests for somebody, for whoever asks which runs do; nothing of another. */
export const restingNote = (run: Run): string | undefined => {
  if (run.status !== 'suspended' || waitingCalls(run).length === 0) return undefined;
  return encode(toListed({ run, suspendedAt: new Date(run.options.ports.wallClock()) }));
};

export const readResting = (note: string): ListedRun => decode(note) as ListedRun; // what restingNote gave
