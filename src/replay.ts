/** Recorded runs: traces, their replay and comparison, and guards in shadow. */
export { guardView, type GuardView } from './trace/guard-view.js';
export { collectTraces, type Trace, type TraceCollection, formatTrace, parseTrace } from './trace/traces.js';
export { traceOfKind } from './trace/traces.js';
export { compareTraces, type TraceComparison } from './trace/compare-traces.js';
export { replay, type Replayed } from './mastra/replay/replay.js';
export type { ReplayGuards } from './mastra/replay/replay-setup.js';
export { redactTrace, type RedactionPolicy } from './trace/redact-trace.js';
export { shadowReport, watchShadows, type ShadowWatch } from './trace/shadow/report-shadows.js';
export type { ShadowComparison, ShadowReport } from './trace/shadow/shadow-report.js';
export { toFixture } from './trace/to-fixture.js';
export type { TraceRecorder, TraceSink } from './trace/trace-writer.js';
export type { TraceEntry, TraceHeader } from '../schemas/trace-entry.js';
