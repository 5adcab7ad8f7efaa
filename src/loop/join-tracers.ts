import type { RunRecording, RunTracer } from './run.js';

/** Sends every event to both; a guard gets the scope of the tracer's span. */
export const joinTracers = (tracer: RunTracer | undefined, recording: RunRecording | undefined): RunTracer | undefined => {
  if (!tracer || !recording) return tracer ?? (recording && { ...recording, ids: noIds });
  return {
    onEvent: (event, run) => {
      recording.onEvent(event, run);
      tracer.onEvent(event, run);
    },
    openSpan: (call) => {
      const [recorded, span] = [recording.openSpan(call), tracer.openSpan(call)];
      return {
        scope: span.scope,
        end: (verdict) => {
          recorded.end(verdict);
          span.end(verdict);
        },
      };
    },
    ids: tracer.ids,
  };
};

const noIds: RunTracer['ids'] = { traceId: undefined, spanId: undefined };
