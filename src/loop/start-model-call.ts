import { anySignal } from '../phase/any-signal.js';
import type { ModelCall } from './model-call.js';
import type { Chunk, PartSource } from './ports.js';
import type { Attempt, Run } from './run.js';
import { createTurns } from '../guard/in-steps.js';

/** Calls the model of an attempt, or replays a guard's cached response. */
export const startModelCall = (run: Run, attempt: Attempt): ModelCall => {
  const controller = new AbortController();
  const signal = anySignal([run.options.abortSignal, controller.signal]);
  const { modelId, provider } = attempt.entry.model;
  const startedAt = run.scope.now();
  if (!attempt.cached) run.recorder.record({ type: 'model-call', modelId, provider });
  return { startedAt, chunks: openResponse(run, attempt, signal), hangUp: () => controller.abort() };
};

const openResponse = async (run: Run, attempt: Attempt, abortSignal: AbortSignal): Promise<AsyncIterable<Chunk | undefined>> => {
  const { ports, mode, runId } = run.options;
  if (attempt.cached) {
    attempt.request = attempt.cached.request;
    attempt.warnings = attempt.cached.warnings ?? [];
    return replay(attempt.cached.chunks, runId);
  }
  const { entry, prompt = [], settings } = attempt;
  const response = await ports.callModel({ ...settings, entry, prompt, mode, abortSignal });
  attempt.request = response.request;
  attempt.response = { ...(response.response as Record<string, unknown> | undefined) }; // an object, if there is one
  attempt.warnings = response.warnings ?? [];
  return readParts(response.parts, (part) => ports.toChunk(part, runId));
};

/** A cached response in the form of a model's. */
async function* replay(chunks: readonly Chunk[], runId: string): AsyncGenerator<Chunk> {
  const takeTurn = createTurns();
  for (const chunk of chunks) {
    const pending = takeTurn();
    if (pending) await pending;
    yield { ...chunk, runId, from: 'AGENT' };
  }
}

/**
 * Reads a model's stream one part at a time and on demand, so that the provider produces no more than the run's reader takes. If the
 * reader stops, the provider's stream is canceled. A generator would cost each part two more turns.
 */
const readParts = <T>(parts: PartSource, toChunk: (part: unknown) => T): AsyncIterable<T> => ({
  [Symbol.asyncIterator]: () => {
    const reader = parts.getReader();
    const takeTurn = createTurns();
    const end = async (): Promise<IteratorResult<T>> => {
      reader.cancel().catch(() => undefined);
      return { done: true, value: undefined };
    };
    const next = async (): Promise<IteratorResult<T>> => {
      try {
        const { done, value } = await reader.read();
        if (done) return { done, value: undefined };
        const pending = takeTurn(); // the provider may have its whole response ready
        if (pending) await pending;
        return { done, value: toChunk(value) };
      } catch (error) {
        void end();
        throw error;
      }
    };
    return { next, return: end };
  },
});
