import { planStream, type StreamStretch } from '../pipeline/stream-plan.js';
import { createStreamGate } from '../release/gate/stream-gate.js';
import { releaseJudged, stopWith, streamPayload } from './judge.js';
import type { Outcome } from './outcome.js';
import type { Chunk } from './ports.js';
import { release } from './release.js';
import type { Run } from './run.js';

/** The way of what a tool writes while it runs through the guards of the stream, and out. */
export interface ToolPassage {
  /** Takes a chunk in; an outcome where the guards stop on it. */
  write(chunk: Chunk): Promise<Outcome | undefined>;
  /** The tool has ended: lets out what is still held. */
  end(): Promise<Outcome | undefined>;
  /** Nobody waits for it any more: guards that are at work are given up on. */
  close(): void;
}

/** Opens the way for one run of a tool. */
export const openToolPassage = (run: Run): ToolPassage => {
  const { output } = run.options.lanes;
  const stream = output && planStream(output.graph);
  return stream ? gatedPassage(run, stream.stretches) : directPassage(run);
};

const directPassage = (run: Run): ToolPassage => ({
  write: async (chunk) => (await releaseJudged(run, chunk)).outcome,
  end: async () => undefined,
  close: () => undefined,
});

/** Where guards have windows, what a sub-agent says is held like what the model says, by a gate of its own. */
const gatedPassage = (run: Run, stretches: readonly StreamStretch[]): ToolPassage => {
  const gate = createStreamGate({
    stretches,
    scope: run.scope,
    payloadOf: (part) => streamPayload(run, part),
    release: (chunk) => release(run, chunk),
    maxHeldChars: run.options.maxHeldChars,
  });
  const outcome = (): Outcome | undefined => {
    const stop = gate.stopped ?? run.stop;
    return stop && stopWith(run, stop);
  };
  return {
    write: async (chunk) => {
      await gate.push(chunk);
      return outcome();
    },
    end: async () => {
      await gate.idle();
      return outcome();
    },
    close: () => gate.close(),
  };
};
