import type { Processor, ProcessorContext } from '@mastra/core/processors';
import { unchanged, type JudgeStrategy } from './guard-options.js';

/** A guard's finding. Neither field repeats the content: both end up in logs, traces and on the client. */
export interface Detection<Metadata> {
  reason: string;
  metadata: Metadata;
}

/** Stops the run for a detection. The runner calls `onViolation`. */
export const block = <Metadata>(detection: Detection<Metadata>, { abort }: ProcessorContext<Metadata>): never =>
  abort(detection.reason, { retry: false, metadata: detection.metadata });

/** Reports a detection that does not stop the run to `onViolation`. */
export const report = async <Metadata>(guard: Processor, { reason, metadata }: Detection<Metadata>): Promise<void> => {
  try {
    await guard.onViolation?.({ processorId: guard.id, message: reason, detail: metadata });
  } catch {
    // By the interface, a failing callback does not disturb the guard.
  }
};

/** Makes the end of a judging hook: applies the strategy to a detection, if any. */
export const judgeWith =
  <Metadata>(guard: Processor, strategy: JudgeStrategy) =>
  (detection: Detection<Metadata> | undefined, context: ProcessorContext<Metadata>): Promise<never> => {
    if (!detection) return unchanged;
    if (strategy === 'block') return block(detection, context);
    return report(guard, detection).then(() => unchanged);
  };
