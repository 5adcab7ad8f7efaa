export { cutInsideCodePoints, cutInsideLineEnds, cutInsidePrefixes, type Cut } from './cuts.js';
export {
  assertChunkInvariant,
  assertNoFragment,
  checkChunkInvariance,
  checkFragments,
  type CutFailure,
  type CutOptions,
  type CutReport,
  type FragmentCase,
  type StreamGuards,
} from './cut-checks.js';
export type {
  Chunks,
  ScriptedToolCall,
  ScriptedUsage,
  ScriptedStep,
  CallOptionsOf,
  LanguageModelOf,
  ScriptedFinishReason,
  SpecVersion,
  StreamPartOf,
} from './scripted-parts.js';
export { exploreInterleavings, type ExploreOptions, type Interleaving, type Turn } from './explore-interleavings.js';
export {
  delayed,
  hanging,
  throwing,
  tripping,
  type FaultOptions,
  type FaultProcessor,
  type HangingOptions,
  type TrippingOptions,
} from './faults.js';
export {
  type RecordedRequest,
  startOpenAIServer,
  type OpenAIServer,
  type OpenAIServerOptions,
  type ReplySource,
} from './openai-server.js';
export {
  type AnswerReply,
  type DropReply,
  type ErrorReply,
  type HangReply,
  type RawReply,
  type ReasoningTextReply,
  type Reply,
  type TextReply,
  type ToolCallsReply,
  messageText,
  type ChatMessage,
  type ChatRequest,
} from './openai-reply.js';
export { type ScriptedCall, scriptedModel, type ScriptedModel, type ScriptedModelOptions } from './scripted-model.js';
export { streamShapes, type StreamShape } from './stream-shapes.js';
