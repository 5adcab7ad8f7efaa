import type { SpecVersion } from './model-spec.js';
import type { MutableCall } from './scripted-call.js';
import type { Part, StepScript } from './scripted-parts.js';
import { untilAborted, wait } from './waits.js';

/** Throws whatever the script says, error or not. */
export const raise = (error: unknown): never => {
  throw error;
};

/** The parts of a step in time, and the way it ends. */
export const sourceOf = async function* (
  step: StepScript,
  parts: readonly Part[],
  signal?: AbortSignal,
): AsyncGenerator<Part, void> {
  for (const part of parts) {
    await wait(step.delayMs ?? 0, signal);
    yield part;
  }
  if (step.error !== undefined) raise(step.error);
  if (step.hang) await untilAborted(signal);
};

/** A stream that draws from the source as it is pulled, and records it. */
export const toStream = <V extends SpecVersion>(source: AsyncGenerator<Part, void>, call: MutableCall<V>): ReadableStream<Part> =>
  new ReadableStream<Part>(
    {
      pull: async (controller) => {
        try {
          const next = await source.next();
          if (call.cancelled) return;
          if (next.done) return controller.close();
          call.pulled += 1;
          controller.enqueue(next.value);
        } catch (error) {
          call.aborted = call.options.abortSignal?.aborted ?? false;
          controller.error(error);
        }
      },
      cancel: (reason) => {
        call.cancelled = true;
        call.cancelReason = reason;
      },
    },
    // Nothing is produced ahead of the consumer: what was pulled is what somebody asked for.
    { highWaterMark: 0 },
  );
