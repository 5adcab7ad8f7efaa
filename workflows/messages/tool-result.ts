import type { MastraDBMessage } from '@mastra/core/agent/message-list';
import type { ProcessToolResultArgs } from '@mastra/core/processors';

/** The arguments of the hook, whatever the guard's metadata. */
type ToolResultArgs = Omit<ProcessToolResultArgs, 'abort'>;

type ToolPart = Extract<MastraDBMessage['content']['parts'][number], { type: 'tool-invocation' }>;

/**
 * The current result: an earlier guard writes its edit into the message list, while `args.result` may still be the tool's
 * original.
 */
export const currentToolResult = (args: ToolResultArgs): unknown => {
  const invocation = partOf(args)?.toolInvocation;
  return invocation?.state === 'result' && 'result' in invocation ? invocation.result : args.result;
};

/**
 * Replaces the tool's result through the message list, where Mastra reads it back. False if the list has
 * no such call yet (a provider's own tool within one stream), so that the result cannot be replaced.
 */
export const replaceToolResult = (args: ToolResultArgs, result: unknown): boolean => {
  const invocation = {
    ...partOf(args)?.toolInvocation,
    state: 'result' as const,
    toolCallId: args.toolCallId,
    toolName: args.toolName,
    args: args.args,
    result,
  };
  return args.messageList.updateToolInvocation({ type: 'tool-invocation', toolInvocation: invocation });
};

const partOf = ({ messages, toolCallId }: ToolResultArgs): ToolPart | undefined => {
  for (const { role, content } of messages.toReversed()) {
    if (role !== 'assistant') continue;
    const part = (content.parts ?? []).findLast((each): each is ToolPart => isCall(each, toolCallId));
    if (part) return part;
  }
  return undefined;
};

const isCall = (part: MastraDBMessage['content']['parts'][number], toolCallId: string): boolean =>
  part.type === 'tool-invocation' && part.toolInvocation.toolCallId === toolCallId;
