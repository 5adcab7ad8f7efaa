import type { Outcome } from '../outcome.js';
import type { Chunk } from '../ports.js';
import { pump } from '../pump.js';
import { readParts, replay } from '../read-parts.js';
import { agentChunk, release } from '../release.js';
import { currentAttempt, type Attempt, type Run } from '../run.js';

/** The model call: each chunk passes the stream's guards before it leaves; a trip ends the provider's call. */
export const call = async (run: Run): Promise<Outcome> => {
  const attempt = currentAttempt(run);
  const startedAt = run.scope.now();
  const controller = new AbortController();
  const signal = AbortSignal.any([run.signal, controller.signal]);
  const { modelId, provider } = attempt.entry.model;
  if (!attempt.cached) run.recorder.record({ type: 'model-call', modelId, provider });
  try {
    const chunks = await openAnswer(run, attempt, signal);
    await announce(run, attempt);
    const outcome = await pump(run, attempt, { chunks, startedAt });
    if (outcome.kind !== 'done') controller.abort(); // a guard did not hear the provider out
    return outcome;
  } catch (error) {
    controller.abort();
    run.error = error;
    return { kind: 'api-error' };
  } finally {
    run.recorder.flush();
  }
};

const openAnswer = async (run: Run, attempt: Attempt, abortSignal: AbortSignal): Promise<AsyncIterable<Chunk | undefined>> => {
  const { ports, mode, runId } = run.options;
  if (attempt.cached) {
    attempt.request = attempt.cached.request;
    attempt.warnings = attempt.cached.warnings ?? [];
    return replay(attempt.cached.chunks, runId);
  }
  const { entry, prompt, settings } = attempt;
  const response = await ports.callModel({ ...settings, entry, prompt, mode, abortSignal });
  attempt.request = response.request;
  attempt.response = { ...(response.response as Record<string, unknown> | undefined) }; // an object, where there is one
  attempt.warnings = response.warnings ?? [];
  return readParts(response.parts, (part) => ports.toChunk(part, runId));
};

const announce = async (run: Run, attempt: Attempt): Promise<void> => {
  if (attempt.started) return;
  attempt.started = true;
  const payload = { messageId: run.messageId, request: attempt.request ?? {}, warnings: attempt.warnings };
  const { hold, outlet } = run.options;
  if (hold) outlet.hold();
  await release(run, { ...agentChunk(run, 'step-start', payload), metadata: { attempt: run.position.attempt } });
  attempt.place = outlet.place;
};
