import { reasoningOf, textOf } from './answer.js';
import type { Chunk, StepRecord, ToolCall, ToolCallRecord } from './ports.js';
import { agentChunk, type Attempt, type Run } from './run.js';

const noUsage = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };

/** What an attempt amounts to so far, in the shape of a step's result. */
export const recordStep = (run: Run, attempt: Attempt): StepRecord => {
  const { answer, finish } = attempt;
  const toolCalls = answer.toolCalls.map((call) => toolCallRecord(run, call));
  const text = answer.text();
  return {
    ...run.position,
    stepType: run.steps.some((step) => !step.tripwire) ? 'tool-result' : 'initial',
    text,
    reasoningText: answer.reasoningText(),
    reasoning: reasoningChunks(run, attempt),
    files: [...answer.files],
    sources: [...answer.sources],
    toolCalls,
    toolResults: [],
    content: contentOf(attempt),
    finishReason: finish?.reason,
    usage: finish?.usage ?? noUsage,
    warnings: [...attempt.warnings],
    request: { ...(attempt.request as Record<string, unknown> | undefined) },
    response: { ...attempt.response },
    providerMetadata: finish?.providerMetadata,
    reason: undefined,
  };
};

const toolCallRecord = (run: Run, call: ToolCall): ToolCallRecord => ({
  ...agentChunk(run, 'tool-call', { ...call }),
  ...call,
  input: call.args,
});

const reasoningChunks = (run: Run, { answer }: Attempt): Chunk[] =>
  answer.parts.flatMap((part, index) =>
    part.type === 'reasoning' ? [agentChunk(run, 'reasoning', { id: String(index), text: part.reasoning })] : [],
  );

/** The AI SDK's content parts of a step. */
const contentOf = ({ answer }: Attempt): unknown[] =>
  answer.parts.flatMap((part): unknown[] => {
    switch (part.type) {
      case 'text':
        return [{ type: 'text', text: part.text }];
      case 'reasoning':
        return [{ type: 'reasoning', text: part.reasoning }];
      case 'tool-invocation': {
        const { toolCallId, toolName, args } = part.toolInvocation;
        return [{ type: 'tool-call', toolCallId, toolName, input: args }];
      }
      default:
        return [];
    }
  });

/** Takes over what guards made of the answer: the text and the calls are those of the message as it stands now. */
export const followMessage = (run: Run, record: StepRecord, parts: Attempt['answer']['parts']): void => {
  record.text = textOf(parts);
  record.reasoningText = reasoningOf(parts);
  record.content = record.content.filter((part) => (part as Chunk).type === 'tool-call');
  if (record.reasoningText !== undefined) record.content.unshift({ type: 'reasoning', text: record.reasoningText });
  if (record.text !== '') record.content.unshift({ type: 'text', text: record.text });
  void run;
};

/** A rejected attempt keeps its place among the steps, without its words. */
export const rejectRecord = (record: StepRecord, tripwire: StepRecord['tripwire']): void => {
  record.tripwire = tripwire;
  record.text = '';
  record.reasoningText = undefined;
  record.reasoning = [];
  record.content = [];
  record.toolCalls = [];
  record.toolResults = [];
  record.files = [];
  record.sources = [];
};
