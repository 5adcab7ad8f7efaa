import {
  EntityType,
  SpanType,
  type AIModelGenerationSpan,
  type AnySpan,
  type Span,
  type TracingContext,
} from '@mastra/core/observability';
import { isGuarded } from '../../loop/judge.js';
import { messageOf } from '../../loop/message-of.js';
import type { StepRecord, TokenUsage, ToolCall, ToolOutcome } from '../../loop/ports.js';
import type { Run } from '../../loop/run.js';
import type { Phase } from '../../phase/row.js';
import { offeredTools } from '../provider-tools.js';
import { wordless } from './wordless.js';

/** The spans of a run's model and tools: one generation, its steps, in each step the calls. */
export interface StepSpans {
  /** The innermost span that guards of a step stand in; nothing before the first step. */
  readonly step: AnySpan | undefined;
  readonly inference: AnySpan | undefined;
  readonly generation: AnySpan | undefined;
  begin(run: Run): void;
  /** The guards before the model have passed: what it is sent may be shown. */
  accept(run: Run): void;
  beginCall(run: Run): void;
  endCall(run: Run): void;
  failCall(message: string): void;
  openTool(run: Run, call: ToolCall): ToolSpan;
  end(run: Run, reason: string): void;
}

/** A run of a tool as a trace shows it. */
export interface ToolSpan {
  /** What the tool is handed. */
  readonly tracingContext: TracingContext;
  end(outcome: ToolOutcome): void;
}

/** Makes the spans under that of an agent's run. With `hasWords` they hold what was said even where guards may still reject it. */
export const createStepSpans = (agentSpan: AnySpan, hasWords: boolean): StepSpans => {
  let generation: AIModelGenerationSpan | undefined;
  let step: Span<SpanType.MODEL_STEP> | undefined;
  let inference: Span<SpanType.MODEL_INFERENCE> | undefined;
  const isSettled = (run: Run, ...judges: Phase[]): boolean =>
    hasWords || !(run.attempt?.settings.structuredOutput || judges.some((phase) => isGuarded(run, phase)));
  return {
    get step() {
      return step;
    },
    get inference() {
      return inference;
    },
    get generation() {
      return generation;
    },
    begin: (run) => {
      const { model } = run.options.ports.models[run.modelIndex] ?? {};
      generation ??= agentSpan.createChildSpan({
        type: SpanType.MODEL_GENERATION,
        name: `llm: '${model?.modelId}'`,
        attributes: { model: model?.modelId, provider: model?.provider, streaming: run.options.mode === 'stream' },
      });
      const { stepNumber, attempt } = run.position;
      step = generation.createChildSpan({
        type: SpanType.MODEL_STEP,
        name: `step: ${stepNumber}`,
        attributes: { stepIndex: stepNumber },
        metadata: { attempt },
      });
    },
    accept: (run) => {
      const prompt = run.attempt?.prompt;
      // From the second step on the prompt has answers of this run, which a guard of the result may still reject.
      const isShown = run.position.stepNumber === 0 || isSettled(run, 'outputResult');
      const input = isShown ? prompt : wordless(prompt, 'prompt');
      step?.update({ input: input as never }); // as the AI SDK has it
      if (run.accepted.length === 0) generation?.update({ input: { messages: prompt as never } }); // see above
    },
    beginCall: (run) => {
      inference?.end(); // of a call that was given up for another
      inference = step?.createChildSpan({
        type: SpanType.MODEL_INFERENCE,
        name: `inference: '${run.attempt?.entry.model.modelId}'`,
        attributes: inferenceFacts(run),
      });
    },
    endCall: (run) => {
      const { finish } = run.attempt ?? {};
      inference?.end({ attributes: { usage: usageStats(finish?.usage), finishReason: finish?.reason } });
      inference = undefined;
    },
    failCall: (message) => {
      inference?.error({ error: new Error(message) });
      inference = undefined;
    },
    openTool: (run, { toolCallId, toolName, args }) => {
      const span = (step ?? agentSpan).createChildSpan({
        type: SpanType.TOOL_CALL,
        name: `tool: '${toolName}'`,
        entityType: EntityType.TOOL,
        entityId: toolName,
        entityName: toolName,
        input: isSettled(run, 'outputResult') ? args : wordless(args, 'args'),
        attributes: { toolCallId, toolType: 'tool' },
      });
      const isShown = isSettled(run, 'toolResult', 'outputStream', 'outputResult');
      return { tracingContext: { currentSpan: span }, end: (outcome) => endTool(span, outcome, isShown) };
    },
    end: (run, reason) => {
      const record = run.attempt?.record;
      step?.end({
        endTree: true,
        output: record && isSettled(run, 'outputResult') ? wordsOfSteps([record]) : {}, // of a rejected one nothing is left
        attributes: {
          usage: usageStats(record?.usage),
          finishReason: record?.finishReason,
          isContinued: reason === 'tool-calls' || reason === 'retry',
        },
        metadata: { reason, ...(record?.tripwire && { tripwire: record.tripwire }) },
      } as never); // endTree is the implementation's
      step = undefined;
      inference = undefined;
    },
  };
};

const endTool = (span: Span<SpanType.TOOL_CALL>, outcome: ToolOutcome, isShown: boolean): void => {
  const { kind } = outcome;
  const attributes = { success: kind === 'result' };
  if (kind === 'error') return span.error({ error: asError(outcome.error), attributes });
  if (kind !== 'result') return span.end({ output: { outcome: kind }, attributes });
  return span.end({ output: isShown ? outcome.result : wordless(outcome.result, 'result'), attributes });
};

/** What steps said and did, as their guards left it. */
export const wordsOfSteps = (steps: readonly StepRecord[]) => ({
  text: steps.map(({ text }) => text).join(''),
  toolCalls: steps.flatMap((step) => step.toolCalls.map(({ toolCallId, toolName, args }) => ({ toolCallId, toolName, args }))),
  toolResults: steps.flatMap((step) =>
    step.toolResults.map(({ toolCallId, toolName, output }) => ({ toolCallId, toolName, result: output })),
  ),
});

/** Settings without headers, which may hold keys. */
const inferenceFacts = ({ attempt, options: { mode }, position }: Run) => {
  const { modelId, provider } = attempt?.entry.model ?? {};
  const { settings = {} } = attempt ?? {};
  const { headers: _headers, ...parameters } = (settings.modelSettings ?? {}) as Record<string, unknown>;
  return {
    model: modelId,
    provider,
    stepIndex: position.stepNumber,
    streaming: mode === 'stream',
    parameters,
    availableTools: offeredTools(settings).map(([name]) => name),
    toolChoice: settings.toolChoice as never, // any of the host's
  };
};

/** Tokens in the names of Mastra's traces. */
export const usageStats = (usage: TokenUsage | undefined) => ({
  inputTokens: usage?.inputTokens,
  outputTokens: usage?.outputTokens,
  ...(usage?.cachedInputTokens !== undefined && { inputDetails: { cacheRead: usage.cachedInputTokens } }),
  ...(usage?.reasoningTokens !== undefined && { outputDetails: { reasoning: usage.reasoningTokens } }),
});

/** What went wrong, as a span takes it. */
export const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(messageOf(error)));
