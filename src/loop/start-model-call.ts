import { anySignal } from '../phase/any-signal.js';
import type { ModelCall } from './model-call.js';
import type { Chunk } from './ports.js';
import { readParts, replay } from './read-parts.js';
import type { Attempt, Run } from './run.js';

/** Calls the model of an attempt, or opens the answer that a guard had cached. */
export const startModelCall = (run: Run, attempt: Attempt): ModelCall => {
  const controller = new AbortController();
  const signal = anySignal([run.signal, controller.signal]);
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
  attempt.response = { ...(response.response as Record<string, unknown> | undefined) }; // an object, where there is one
  attempt.warnings = response.warnings ?? [];
  return readParts(response.parts, (part) => ports.toChunk(part, runId));
};
