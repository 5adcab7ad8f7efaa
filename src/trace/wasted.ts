import type { RunEvent } from '../../schemas/index.js';

/** The usage of model calls whose responses were discarded, because an overlap guard did not pass. */
export interface WastedCalls {
  readonly calls: number;
  /** The time that the calls took, in milliseconds. */
  readonly durationMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Whether some token counts are estimated: providers report usage only at the end of a response. */
  readonly isEstimated: boolean;
}

const nothing: WastedCalls = { calls: 0, durationMs: 0, inputTokens: 0, outputTokens: 0, isEstimated: false };

/** Sums up the discarded model calls of a run. */
export const wastedOf = (events: readonly RunEvent[]): WastedCalls =>
  events
    .filter((event) => event.type === 'model-wasted')
    .reduce<WastedCalls>(
      (sum, event) => ({
        calls: sum.calls + 1,
        durationMs: sum.durationMs + event.durationMs,
        inputTokens: sum.inputTokens + event.inputTokens,
        outputTokens: sum.outputTokens + event.outputTokens,
        isEstimated: sum.isEstimated || event.isEstimated,
      }),
      nothing,
    );
