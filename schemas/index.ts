export {
  phasePayloadSchema,
  phasePayloadSchema as ProcessorStepInputSchema,
  phasePayloadSchema as ProcessorStepSchema,
  phaseSchemas,
  type PhaseData,
  type PhaseName,
  type PhasePayload,
  type PhasePayload as ProcessorStepData,
  type PhasePayload as ProcessorStepInput,
} from './phase-payload.js';
export { isPhaseName, parsePayload, safeParsePayload, type PayloadResult } from './parse-payload.js';
export {
  stepOutputSchema as ProcessorStepOutputSchema,
  type StepOutput as ProcessorStepDataFlexible,
  type StepOutput as ProcessorStepOutput,
} from './step-output.js';
export { inputPhaseSchema as ProcessorInputPhaseSchema } from './phases/input.js';
export { inputStepPhaseSchema as ProcessorInputStepPhaseSchema } from './phases/input-step.js';
export { llmRequestPhaseSchema as ProcessorLLMRequestPhaseSchema } from './phases/llm-request.js';
export { apiErrorPhaseSchema as ProcessorAPIErrorPhaseSchema } from './phases/api-error.js';
export { outputStreamPhaseSchema as ProcessorOutputStreamPhaseSchema } from './phases/output-stream.js';
export { llmResponsePhaseSchema as ProcessorLLMResponsePhaseSchema } from './phases/llm-response.js';
export { outputStepPhaseSchema as ProcessorOutputStepPhaseSchema } from './phases/output-step.js';
export { toolResultPhaseSchema as ProcessorToolResultPhaseSchema } from './phases/tool-result.js';
export { outputResultPhaseSchema as ProcessorOutputResultPhaseSchema } from './phases/output-result.js';
export {
  messageContentSchema as MessageContentSchema,
  messageContentSchema as ProcessorMessageContentSchema,
  messageSchema as ProcessorMessageSchema,
  type Message as ProcessorMessage,
  type MessageContent,
  type MessageInput,
} from './message.js';
export {
  dataPartSchema as DataPartSchema,
  errorPartSchema as ErrorPartSchema,
  filePartSchema as FilePartSchema,
  imagePartSchema as ImagePartSchema,
  messagePartSchema as MessagePartSchema,
  reasoningPartSchema as ReasoningPartSchema,
  sourceDocumentPartSchema as SourceDocumentPartSchema,
  sourcePartSchema as SourcePartSchema,
  stepStartPartSchema as StepStartPartSchema,
  textPartSchema as TextPartSchema,
  toolInvocationPartSchema as ToolInvocationPartSchema,
  type MessagePart,
} from './message-part.js';
export {
  runEventSchema,
  runStatusSchema,
  stepReasonSchema,
  tripwireSchema,
  usageSchema,
  verdictKindSchema,
  type Change,
  type RunEvent,
  type RunStatus,
  type StepReason,
  type Tripwire,
  type Usage,
  type VerdictKind,
} from './run-event.js';
export {
  traceEntrySchema,
  traceHeaderSchema,
  traceVersion,
  type PartNote,
  type TraceContent,
  type TraceEntry,
  type TraceHeader,
} from './trace-entry.js';
