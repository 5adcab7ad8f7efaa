export {
  assertChunkInvariant,
  assertNoFragment,
  checkChunkInvariance,
  checkFragments,
  type CutOptions,
  type CutReport,
  type FragmentCase,
} from './cut-checks.js';
export { exploreInterleavings, type Interleaving } from './explore-interleavings.js';
export { delayed, hanging, throwing, tripping, type FaultProcessor } from './faults.js';
export {
  type RecordedRequest,
  startOpenAIServer,
  type OpenAIServer,
  type OpenAIServerOptions,
  type ReplySource,
} from './openai-server.js';
export { type Reply, messageText, type ChatRequest } from './openai-reply.js';
export { type ScriptedCall, scriptedModel, type ScriptedModel, type ScriptedModelOptions } from './scripted-model.js';
export type { ScriptedStep } from './scripted-parts.js';
