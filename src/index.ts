export { InterlockError, isInterlockError, errorTable, type ErrorCode, type InterlockErrorOptions } from './errors.js';
export { attachResponse, type Attachable, errorResponse } from './responses.js';
export type { Verdict, Pass, Edit, Trip, Retry, Unavailable, Stop } from './verdict.js';
export { phases, phaseNames } from './phase/table.js';
export type { Phase, PhaseData, PhaseRow } from './phase/row.js';
export { otherwise, type Condition, type GraphNode, type StepContext } from './pipeline/graph.js';
export type { Overlap, OverlapRule } from './pipeline/overlap.js';
export type { Plan } from './pipeline/compile.js';
export { type GuardBypass, type WastedCalls, guardView, type GuardView } from './trace/guard-view.js';
export { collectTraces, type Trace, type TraceCollection, formatTrace, parseTrace } from './trace/traces.js';
export { traceOfKind } from './trace/kinds.js';
export {
  compareTraces,
  type ComparedRow,
  type ComparedRun,
  type ComparedVerdict,
  type TraceComparison,
} from './trace/compare-traces.js';
export type { ReplayEnd } from './loop/replay-ports.js';
export { replay, type Replayed } from './mastra/replay/replay.js';
export type { ReplayGuards } from './mastra/replay/replay-lanes.js';
export { redactTrace, type RedactionPolicy } from './trace/redact-trace.js';
export {
  shadowReport,
  watchShadows,
  type ShadowWatch,
  type ShadowWatchOptions,
  type TracedShadowOptions,
} from './trace/shadow/report-shadows.js';
export type { Agreement, ShadowComparison, ShadowExample, ShadowOptions, ShadowReport } from './trace/shadow/shadow-report.js';
export type { TextAt } from './trace/texts-in.js';
export { toFixture, type FixtureOptions } from './trace/to-fixture.js';
export type { TraceRecorder, TraceSink } from './trace/trace-writer.js';
export type { GuardTraits } from './guard/traits.js';
export type { GuardPolicy, GuardWindow } from './guard/policy/guard-policy.js';
export type { Pattern, PatternMatch, TextSpan, Window, WindowedProcessor } from './guard/pattern.js';
export { rejectToolCall, requireApproval, type RejectOptions, type ToolCallChunk } from './stream/tool-rulings.js';
export type { FindingCode } from './pipeline/verify/checks.js';
export type { Finding } from './pipeline/verify/find-defects.js';
export type { CounterExample } from './pipeline/verify/check.js';
export { loopMachine } from './loop/loop-machine.js';
export type { SavedTurn, Persistence } from './loop/persistence.js';
export { compile, type Compilable, type PipelineStep, fromWorkflow } from './mastra/graph/to-graph.js';
export {
  createStep,
  createWorkflow,
  defineProcessor,
  pipeline,
  type DefinedProcessor,
  type Pipeline,
} from './mastra/workflow/pipeline.js';
export { processorStep, type ProcessorStep } from './mastra/workflow/step.js';
export type {
  Append,
  Board,
  BoardEntry,
  Durable,
  Engine,
  EntryMark,
  PersistedJournal,
  PersistedRun,
  PersistedRunFilter,
  PersistedStep,
  Pinned,
  PlacedEntry,
  Program,
  ProgramCall,
  ProgramRuns,
  RunFound,
  StartCall,
} from './durable/journal.js';
export type { Effect } from './loop/tool-call.js';
export { idempotencyKeyOf } from './mastra/tools/run-tool.js';
export type { ToolEffects } from './mastra/tools/tools.js';
export { encrypted, type EncryptionOptions, type SealKey } from './durable/encrypted.js';
export { memoryEngine } from './durable/memory-engine.js';
export type { CodeChange, RunQueueOptions } from './mastra/options/own-options.js';
export type { NeedsDecision, WaitingRun } from './mastra/durable/suspended-index.js';
export type { AttachOptions, ForkOptions, PersistedRunStatus, RunFilter, RunOwner } from './mastra/durable/operation-options.js';
export type { Erased, RunSummary, RunMetrics } from './mastra/durable/run-operations.js';
export { InterlockAgent, Agent } from './mastra/agent/agent.js';
export type { InterlockResult, InterlockStep, InterlockStream } from './mastra/agent/run-stream.js';
export type {
  InterlockAgentConfig,
  InterlockCallOptions,
  InterlockConfig,
  InterlockDeclineOptions,
  InterlockObjectOptions,
  InterlockPromptCall,
  InterlockResumeOptions,
} from './mastra/agent/config.js';
export type { StructuredOutput } from './mastra/structured-output/structured-output-options.js';
export type { DynamicGuards, Guards } from './mastra/workflow/guards.js';
export { guard, type GuardedProcessor, type InputJudge } from './mastra/graph/guard-policy.js';
export type { PolicyCarrier } from './mastra/graph/guard-node.js';
export { guardsFor, type LaneGuards } from './mastra/workflow/guards-for.js';
export { PrepareStepProcessor } from './mastra/agent/chains.js';
export { verify, type VerifyOptions } from './mastra/workflow/verify.js';
export { registerProcessorWorkflows } from './mastra/agent/registration.js';
export {
  ProcessorStepInputSchema,
  ProcessorStepOutputSchema,
  ProcessorStepSchema,
  type RunEvent,
  type RunStatus,
  type TraceEntry,
  type TraceHeader,
  type Tripwire,
} from '../schemas/index.js';
