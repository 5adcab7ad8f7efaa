import type { MessageList } from '@mastra/core/agent/message-list';
import type { LoopMessages, ToolCall, ToolOutcome } from '../loop/ports.js';
import { toPrompt } from './model-call.js';

type ToolPart = Parameters<MessageList['updateToolInvocation']>[0];

/** The loop's own dealings with Mastra's MessageList. */
export const loopMessages: LoopMessages = {
  addResponse: (list, message) => {
    list.stepStart();
    list.add(message, 'response');
  },
  setToolOutcome: (list, call, outcome) => void list.updateToolInvocation(toolPart(call, outcome)),
  writeTagged: (list, tag, messages) => {
    list.clearSystemMessages(tag);
    if (messages.length > 0) list.addSystem([...messages] as Parameters<MessageList['addSystem']>[0], tag);
  },
  toPrompt,
};

const toolPart = ({ toolCallId, toolName, args }: ToolCall, outcome: ToolOutcome): ToolPart => {
  const call = { toolCallId, toolName, args };
  const toolInvocation =
    outcome.kind === 'result'
      ? { ...call, state: 'result', result: outcome.result }
      : { ...call, state: 'output-error', errorText: outcome.kind === 'error' ? errorText(outcome.error) : '' };
  return { type: 'tool-invocation', toolInvocation } as ToolPart;
};

const errorText = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim() || 'Tool execution failed';
};
