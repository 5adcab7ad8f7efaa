// Compiled in a folder that contains the AI SDK and zod, and no Mastra.
import { tool, type ToolSet } from 'ai';
import { z } from 'zod';
import { guardedToolLoop, TripwireError, withGuards, type GuardedRunEvent } from 'mastra-interlock/ai-sdk';
import { guard, lengthGuard, pipeline, redactor } from 'mastra-interlock/guards';
import { scriptedModel } from 'mastra-interlock/testing';
import { acceptedMessages, visibleMessages } from 'mastra-interlock/ui';

/** Whether a type is `any`. */
type IsAny<T> = 0 extends 1 & T ? true : false;
type Typed<T> = IsAny<T> extends true ? never : T;
/** Compiles only for arguments that have a type. */
const typed = <T>(_value: Typed<T>): void => undefined;

/** A guard of an application: the arguments of each hook are typed by the pipeline. */
export const own = pipeline('own').then({
  id: 'every-hook',
  processInput: ({ messages, abort, retryCount, state }) => {
    typed(messages);
    typed(messages[0]?.content.parts[0]);
    typed(abort);
    typed<number>(retryCount);
    typed(state);
    return messages.length > 100 ? abort('Too many messages.') : messages;
  },
  processInputStep: ({ stepNumber, messageList }) => {
    typed<number>(stepNumber);
    typed(messageList);
    return {};
  },
  processOutputStream: async ({ part, streamParts }) => {
    typed(part);
    typed(part.type);
    typed(streamParts);
    return part;
  },
  processOutputStep: ({ text = '', toolCalls = [], messageList, abort }) => {
    typed<string>(text);
    typed(toolCalls[0]?.toolName);
    typed(messageList.get.all.db()[0]?.role);
    return text === '' ? abort('No text.', { retry: true }) : messageList;
  },
  processToolResult: ({ result, toolCallId }) => {
    typed<unknown>(result);
    typed<string>(toolCallId);
    return undefined;
  },
  processOutputResult: ({ messages, result }) => {
    typed(result.text);
    return messages;
  },
});

pipeline('wrong').then({
  id: 'wrong',
  // @ts-expect-error there is no such argument
  processInput: ({ nothing, messages }) => (nothing ? [] : messages),
});

// @ts-expect-error an option that the guard does not have
lengthGuard({ maxWords: 5 });

const model = scriptedModel({ specificationVersion: 'v4', steps: [{ text: 'Hello.' }] });
const tools: ToolSet = { look: tool({ inputSchema: z.object({ at: z.string() }), execute: async ({ at }) => at }) };

export const agent = guardedToolLoop({
  model,
  tools,
  guards: own.then(guard(redactor({ strategy: 'replace' }), { deadlineMs: 5_000 })).commit(),
  guardOptions: { onEvent: (event: GuardedRunEvent) => typed(event.type) },
});
export const wrapped = withGuards('provider/model', [lengthGuard({ maxChars: 5 })]);
export const inline = withGuards(model, [
  {
    id: 'inline',
    processInput: ({ messages, abort }) => {
      typed(messages);
      return messages.length > 9 ? abort('Too many.') : messages;
    },
  },
]);
export const reason = (error: unknown): string => (TripwireError.isInstance(error) ? error.reason : String(error));
export const shown = (messages: { role: string; parts: { type: string }[] }[]) => visibleMessages(acceptedMessages(messages));
