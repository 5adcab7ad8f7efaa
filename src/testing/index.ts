export { cutInsideCodePoints, cutInsideLineEnds, cutInsidePrefixes, type Cut } from './byte-cuts.js';
export {
  assertChunkInvariant,
  assertNoFragment,
  checkChunkInvariance,
  checkFragments,
  type CutFailure,
  type CutOptions,
  type CutReport,
  type FragmentCase,
} from './cut-checks.js';
export type { Chunks, ScriptedToolCall, ScriptedUsage } from './deltas.js';
export { exploreInterleavings, type ExploreOptions, type Interleaving, type Turn } from './explore-interleavings.js';
export { delayed, hanging, throwing, tripping } from './faults.js';
export type { FaultOptions, FaultProcessor, HangingOptions, TrippingOptions } from './faults.js';
export type { CallOptionsOf, LanguageModelOf, ScriptedFinishReason, SpecVersion, StreamPartOf } from './model-spec.js';
export type { RecordedRequest } from './openai-exchange.js';
export type {
  AnswerReply,
  DropReply,
  ErrorReply,
  HangReply,
  RawReply,
  ReasoningTextReply,
  Reply,
  TextReply,
  ToolCallsReply,
} from './openai-reply.js';
export { messageText, type ChatMessage, type ChatRequest } from './openai-request.js';
export { startOpenAIServer, type OpenAIServer, type OpenAIServerOptions, type ReplySource } from './openai-server.js';
export type { ScriptedCall } from './scripted-call.js';
export { scriptedModel, type ScriptedModel, type ScriptedModelOptions } from './scripted-model.js';
export type { StreamGuards } from './run-cut.js';
export type { ScriptedStep } from './scripted-parts.js';
export { streamShapes, type StreamShape } from './stream-shapes.js';
