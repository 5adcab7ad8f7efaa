import { messageText, type ChatRequest } from '../../src/testing/index.js';
import type { ChatMessage } from '../../src/testing/openai-reply.js';

/** A tool's result, with the tool's name. */
export interface ToolAnswer {
  readonly toolName: string;
  readonly content: string;
}

/** The input for the responder's choice of an answer. */
export interface Conversation {
  /** The user's last message. */
  readonly userText: string;
  /** Tool results since then, oldest first. */
  readonly toolAnswers: readonly ToolAnswer[];
  /** Whether a guard requested another attempt. */
  readonly hasFeedback: boolean;
  /** Whether this call offers a tool. */
  readonly offers: (toolName: string) => boolean;
}

/** The loop's mark of a system message that requests another attempt. */
const feedbackMark = '[Processor Feedback]';

const toolAnswersIn = (messages: readonly ChatMessage[]): ToolAnswer[] => {
  const names = new Map(
    messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => [call.id, call.function.name] as const)),
  );
  return messages
    .filter(({ role }) => role === 'tool')
    .map((message) => ({ toolName: names.get(message.tool_call_id ?? '') ?? 'the tool', content: messageText(message) }));
};

/** Reads a request. */
export const readConversation = ({ messages, tools = [], tool_choice }: ChatRequest): Conversation => {
  const lastQuestion = messages.findLastIndex(({ role }) => role === 'user');
  const question = messages[lastQuestion];
  return {
    userText: question ? messageText(question) : '',
    toolAnswers: toolAnswersIn(messages.slice(lastQuestion + 1)),
    hasFeedback: messages.some((message) => message.role === 'system' && messageText(message).includes(feedbackMark)),
    offers: (toolName) => tool_choice !== 'none' && tools.some((tool) => tool.function.name === toolName),
  };
};
