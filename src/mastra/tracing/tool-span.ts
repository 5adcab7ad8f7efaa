import { EntityType, SpanType, type AnySpan, type Span, type TracingContext } from '@mastra/core/observability';
import type { ToolCall, ToolOutcome } from '../../loop/ports.js';
import { asError } from './as-error.js';
import { redactedValue } from './redacted-span.js';

/** The span of a tool's run. */
export interface ToolSpan {
  /** The tracing context for the tool. */
  readonly tracingContext: TracingContext;
  end(outcome: ToolOutcome): void;
}

/** The parts of a call that no guard can reject any more: its arguments at the start, its result at the end. */
interface Visibility {
  readonly args: boolean;
  readonly result: boolean;
}

/** Starts the span of a tool's run. */
export const openToolSpan = (parent: AnySpan, { toolCallId, toolName, args }: ToolCall, visible: Visibility): ToolSpan => {
  const span = parent.createChildSpan({
    type: SpanType.TOOL_CALL,
    name: `tool: '${toolName}'`,
    entityType: EntityType.TOOL,
    entityId: toolName,
    entityName: toolName,
    input: visible.args ? args : redactedValue(args, 'args'),
    attributes: { toolCallId, toolType: 'tool' },
  });
  return { tracingContext: { currentSpan: span }, end: (outcome) => endWith(span, outcome, visible) };
};

const endWith = (span: Span<SpanType.TOOL_CALL>, outcome: ToolOutcome, { result: showsResult }: Visibility): void => {
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
