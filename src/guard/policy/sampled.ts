import type { Pass } from '../../verdict.js';
import type { Layer } from './layer.js';

const sampledOut: Pass = { kind: 'pass', bypass: { reason: 'sampled-out' } };

/** `sampleRate`: the guard is called in a share of all runs, chosen once per run, so that it sees all of a run or nothing. */
export const sampled: Layer =
  (inner, { author, policy: { sampleRate = 1 }, state }) =>
  (data, scope) => {
    const run = scope.slot(author.processorId).state;
    const isIn = state.sampled.get(run) ?? Math.random() < sampleRate;
    state.sampled.set(run, isIn);
    return isIn ? inner(data, scope) : sampledOut;
  };
