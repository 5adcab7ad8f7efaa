export { InterlockError, isInterlockError, type ErrorCode } from './errors.js';
export { attachResponse, errorResponse } from './responses.js';
export { phases } from './phase/table.js';
export type { Phase } from './phase/row.js';
export { otherwise, type Condition, type Plan } from './pipeline/graph.js';
export type { GuardTraits } from './guard/traits.js';
export type { GuardPolicy } from './guard/policy/guard-policy.js';
export type { Pattern, WindowedProcessor } from './guard/pattern.js';
export { rejectToolCall, requireApproval, type ToolCallChunk } from './stream/tool-rulings.js';
export type { Finding } from './pipeline/verify/checks.js';
export { loopMachine } from './loop/loop-machine.js';
export { compile, type PipelineStep, fromWorkflow } from './mastra/graph/to-graph.js';
export {
  createStep,
  createWorkflow,
  defineProcessor,
  pipeline,
  type DefinedProcessor,
  type Pipeline,
} from './mastra/workflow/pipeline.js';
export { processorStep, type ProcessorStep } from './mastra/workflow/step.js';
export { idempotencyKeyOf } from './mastra/tools/run-tool.js';
export { encrypted } from './durable/encrypted.js';
export { memoryEngine } from './durable/memory-engine.js';
export { InterlockAgent, Agent } from './mastra/agent/agent.js';
export type { InterlockResult, InterlockStream } from './mastra/agent/run-stream.js';
export type { InterlockAgentConfig, InterlockCallOptions } from './mastra/agent/config.js';
export { guard, type GuardedProcessor } from './mastra/graph/guard-policy.js';
export { guardsFor } from './mastra/workflow/guards-for.js';
export { PrepareStepProcessor } from './mastra/agent/chains.js';
export { verify } from './mastra/workflow/verify.js';
export { registerProcessorWorkflows } from './mastra/agent/registration.js';
export type { RunEvent, RunStatus, Tripwire } from '../schemas/run-event.js';
