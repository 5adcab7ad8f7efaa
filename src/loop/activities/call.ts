import { startModelCall } from '../start-model-call.js';
import type { ModelCall } from '../model-call.js';
import type { Outcome } from '../outcome.js';
import { consumeModelStream } from '../consume-model-stream.js';
import { agentChunk, emit } from '../emit.js';
import { currentAttempt, setRunError, type Attempt, type Run } from '../run.js';

/** The model's answer: each chunk passes the stream's guards before it leaves; a trip ends the provider's call. */
export const call = async (run: Run): Promise<Outcome> => {
  const attempt = currentAttempt(run);
  const modelCall: ModelCall = attempt.ahead ?? startModelCall(run, attempt);
  attempt.ahead = undefined;
  const { startedAt, hangUp } = modelCall;
  try {
    const chunks = await modelCall.chunks;
    await announce(run, attempt);
    const outcome = await consumeModelStream(run, attempt, { chunks, startedAt });
    if (outcome.kind !== 'done') hangUp(); // a guard did not hear the provider out
    return outcome;
  } catch (error) {
    hangUp();
    setRunError(run, error);
    return { kind: 'api-error' };
  } finally {
    attempt.prompt = undefined; // it was sent
    run.recorder.flush();
  }
};

const announce = async (run: Run, attempt: Attempt): Promise<void> => {
  if (attempt.started) return;
  attempt.started = true;
  const payload = { messageId: run.messageId, request: attempt.request ?? {}, warnings: attempt.warnings };
  const { hold, streamBuffer } = run.options;
  if (hold) streamBuffer.startBuffering();
  await emit(run, { ...agentChunk(run, 'step-start', payload), metadata: { attempt: run.position.attempt } });
  attempt.place = streamBuffer.offset;
};
