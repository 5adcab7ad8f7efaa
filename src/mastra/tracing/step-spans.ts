import {
  EntityType,
  SpanType,
  type AIModelGenerationSpan,
  type AnySpan,
  type Span,
  type TracingContext,
} from '@mastra/core/observability';
import { isGuarded } from '../../loop/judge.js';
import { messageOf } from '../../errors.js';
import { publicToolName, type ToolCall, type ToolOutcome } from '../../loop/tool-call.js';
import type { Run } from '../../loop/run.js';
import type { Phase } from '../../phase/row.js';
import { offeredTools } from '../model/prompts.js';
import { redactedValue } from './guard-spans.js';
import { endInference, respondedAt, startGeneration, startInference, usageStats, wordsOfSteps } from './model-spans.js';

/** Phases of guards after the model call, which may still edit or reject a step. */
const judgesOfSteps = ['toolResult', 'outputStep', 'outputResult'] as const satisfies Phase[];

/** Creates the spans below that of an agent's run. With `hasWords` they contain text even if guards may still reject it. */
export const createStepSpans = (agentSpan: AnySpan, hasWords: boolean) => {
  let generation: AIModelGenerationSpan | undefined;
  let step: Span<SpanType.MODEL_STEP> | undefined;
  let inference: Span<SpanType.MODEL_INFERENCE> | undefined;
  const isSettled = (run: Run, ...judges: Phase[]): boolean =>
    hasWords || !(mayRepeat(run) || judges.some((phase) => isGuarded(run, phase)));
  return {
    /** The innermost span around the guards of a step. Undefined before the first step. */
    get step(): AnySpan | undefined {
      return step;
    },
    get inference(): AnySpan | undefined {
      return inference;
    },
    get generation(): AnySpan | undefined {
      return generation;
    },
    start: (run: Run): void => {
      generation ??= startGeneration(agentSpan, run);
      const { stepNumber, attempt } = run.state.counters;
      step = generation.createChildSpan({
        type: SpanType.MODEL_STEP,
        name: `step: ${stepNumber}`,
        attributes: { stepIndex: stepNumber, messageId: run.state.messageId } as never, // as in Mastra, whose types lack the id
        metadata: { attempt },
      });
    },
    /** Called once the guards before the model have passed, so that the prompt may be shown. */
    accept: (run: Run): void => {
      const prompt = run.state.attempt?.prompt;
      const isShown = run.state.counters.stepNumber === 0 || isSettled(run, ...judgesOfSteps); // later prompts contain answers of this run
      const input = isShown ? prompt : redactedValue(prompt, 'prompt', nameToolIn(run));
      step?.update({ input: input as never }); // in the AI SDK's form
      if (run.state.accepted.length === 0) generation?.update({ input: { messages: prompt as never } }); // see above
    },
    startCall: (run: Run): void => {
      inference?.end(); // of an abandoned call that another replaces
      inference = step && startInference(step, run);
    },
    endCall: (run: Run): void => {
      if (run.state.accepted.length === 0) generation?.update({ attributes: { completionStartTime: respondedAt(run) } });
      // Else the step shows it once it is accepted.
      if (inference) endInference(inference, run, isSettled(run, 'outputStream', 'llmResponse', ...judgesOfSteps));
      inference = undefined;
    },
    failCall: (message: string): void => {
      inference?.error({ error: new Error(message) });
      inference = undefined;
    },
    openTool: (run: Run, call: ToolCall) => {
      const [args, parent] = [isSettled(run, ...judgesOfSteps), { parent: step ?? agentSpan, tool: toolOf(run, call) }];
      return openToolSpan(parent, call, { args, result: args && isSettled(run, 'outputStream') });
    },
    end: (run: Run, reason: string): void => {
      const isShown = reason === 'stop' ? isSettled(run, 'outputResult') : isSettled(run, ...judgesOfSteps);
      if (step) endStep(step, run, { reason, isShown });
      step = inference = undefined;
    },
  };
};

const toolOf = ({ state: { attempt }, options }: Run, { toolName }: ToolCall) =>
  offeredTools((attempt ?? options).settings).find(([name]) => name === toolName)?.[1];

/** True if an answer without a valid object is rejected and repeated. */
const mayRepeat = ({ options: { limits }, state: { attempt } }: Run): boolean =>
  attempt?.settings.structuredOutput !== undefined && limits.maxRetries > 0;

/** Names the tools that the current step offers. */
export const nameToolIn =
  ({ options, state: { attempt } }: Run) =>
  (name: string): string =>
    publicToolName((attempt ?? options).settings.tools, name);

interface StepEnd {
  readonly reason: string;
  readonly isShown: boolean;
}

/** Ends the span of a step. A rejected step has no output to show. */
const endStep = (step: Span<SpanType.MODEL_STEP>, { state: { attempt } }: Run, { reason, isShown }: StepEnd): void => {
  const record = attempt?.record;
  step.end({
    endTree: true,
    output: record && isShown ? wordsOfSteps([record]) : {},
    attributes: {
      usage: usageStats(record?.usage),
      finishReason: record?.finishReason,
      isContinued: reason === 'tool-calls' || reason === 'retry',
    },
    metadata: { reason, ...(record?.tripwire && { tripwire: record.tripwire }) },
  });
};

/** The parts of a call that no guard can reject any more: its arguments at the start, its result at the end. */
interface Visibility {
  readonly args: boolean;
  readonly result: boolean;
}

/** Starts the span of a tool's run. */
const openToolSpan = (
  { parent, tool }: { parent: AnySpan; tool: { readonly description?: unknown } | undefined },
  { toolCallId, toolName, args }: ToolCall,
  visible: Visibility,
) => {
  const span = parent.createChildSpan({
    type: SpanType.TOOL_CALL,
    name: `tool: '${toolName}'`,
    entityType: EntityType.TOOL,
    entityId: toolName,
    entityName: toolName,
    input: visible.args ? args : redactedValue(args, 'args'),
    attributes: {
      toolCallId,
      toolType: 'tool',
      ...(typeof tool?.description === 'string' && { toolDescription: tool.description }),
    },
  });
  const tracingContext: TracingContext = { currentSpan: span }; // for the tool
  return { tracingContext, end: (outcome: ToolOutcome) => endToolSpan(span, outcome, visible) };
};

const endToolSpan = (span: Span<SpanType.TOOL_CALL>, outcome: ToolOutcome, { result: showsResult }: Visibility): void => {
  const { kind } = outcome;
  const attributes = { success: kind === 'result' };
  if (kind === 'error') {
    const { name, message, stack } = asError(outcome.error);
    const error = Object.assign(new Error(showsResult ? message : String(redactedValue(message, 'message'))), { name });
    error.stack = showsResult ? stack : undefined; // the stack starts with the message
    return span.error({ error, attributes });
  }
  if (kind !== 'result') return span.end({ output: { outcome: kind }, attributes });
  return span.end({ output: showsResult ? outcome.result : redactedValue(outcome.result, 'result'), attributes });
};

/** An error in the form that spans accept. */
export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(messageOf(error)));
