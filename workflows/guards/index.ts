export { pipeline, type PortablePipeline } from '../../src/mastra/graph/portable-pipeline.js';
export { guard, type GuardedProcessor } from '../../src/mastra/graph/guard-policy.js';
export { otherwise, type Condition } from '../../src/pipeline/graph.js';
export { rejectToolCall, requireApproval, type ToolCallChunk } from '../../src/stream/tool-rulings.js';
export { InterlockError, isInterlockError, type ErrorCode } from '../../src/errors.js';
export type { GuardTraits, Processor } from '../../src/guard/traits.js';
export type { Pattern, WindowedProcessor } from '../../src/guard/pattern.js';
export type { GuardPolicy } from '../../src/guard/policy/guard-policy.js';
export * from './ready-made.js';
