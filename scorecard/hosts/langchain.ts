import { AIMessage, AIMessageChunk, HumanMessage, RemoveMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { MemorySaver } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, createMiddleware } from 'langchain';
import { z } from 'zod';

import { Blocked, type Guard, type Host, type Outcome } from '../host.js';

/** Ends the run with a message; a rejected answer is replaced by it, by its id, and a rejected question is removed. */
const end = (reason: string, last: BaseMessage) => ({
  jumpTo: 'end' as const,
  messages: [
    ...(last.getType() === 'human' ? [new RemoveMessage({ id: last.id ?? '' })] : []),
    new AIMessage({ ...(last.getType() === 'ai' && { id: last.id }), content: `Blocked: ${reason}` } as never),
  ],
});
const textOf = (message: BaseMessage | undefined): string =>
  typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content ?? '');
const replaced = (message: BaseMessage, text: string): BaseMessage =>
  message.getType() === 'human'
    ? new HumanMessage({ id: message.id, content: text })
    : new AIMessage({ ...(message as AIMessage), id: message.id, content: text } as never);

/** A guardrail, as the documentation shows one: a hook that jumps to the end with a message, or replaces a message by its id. */
const middlewareOf = (guard: Guard) => {
  const ofLast = async ({ messages }: { messages: BaseMessage[] }) => {
    const last = messages.at(-1);
    if (!last) return undefined;
    const verdict = await guard.judge(textOf(last));
    if (verdict.kind === 'block') return end(verdict.reason, last);
    return verdict.kind === 'edit' ? { messages: [replaced(last, verdict.text)] } : undefined;
  };
  const hook = { canJumpTo: ['end' as const], hook: ofLast as never };
  const ofCall = async (
    request: { toolCall: { id?: string; args: Record<string, unknown> } },
    handler: (request: never) => Promise<unknown>,
  ) => {
    const verdict = await guard.judge(JSON.stringify(request.toolCall.args));
    if (verdict.kind === 'block')
      return new ToolMessage({ content: `Blocked: ${verdict.reason}`, tool_call_id: request.toolCall.id ?? '', status: 'error' });
    const toolCall =
      verdict.kind === 'edit'
        ? { ...request.toolCall, args: JSON.parse(verdict.text) as Record<string, unknown> }
        : request.toolCall;
    return handler({ ...request, toolCall } as never);
  };
  const ofResult = async (request: never, handler: (request: never) => Promise<unknown>) => {
    const result = (await handler(request)) as ToolMessage;
    const verdict = await guard.judge(textOf(result));
    if (verdict.kind === 'block') throw new Blocked(verdict.reason);
    return verdict.kind === 'edit' ? new ToolMessage({ content: verdict.text, tool_call_id: result.tool_call_id }) : result;
  };
  const hooks = {
    input: { beforeAgent: hook },
    request: { beforeModel: hook },
    step: { afterModel: hook },
    answer: { afterAgent: hook },
    toolCall: { wrapToolCall: ofCall },
    toolResult: { wrapToolCall: ofResult },
    stream: {},
  };
  return createMiddleware({ name: guard.id, ...hooks[guard.at] } as never);
};

const outcomeOf = (messages: readonly BaseMessage[]): Outcome => {
  const last = textOf(messages.at(-1));
  const isBlocked = last.startsWith('Blocked: ');
  return {
    ended: isBlocked ? 'blocked' : 'completed',
    answer: isBlocked ? '' : last,
    result: messages.map((message) => message.toDict()),
  };
};

const failed = (error: unknown): Outcome => {
  const isBlock = error instanceof Blocked || (error as { cause?: unknown }).cause instanceof Blocked;
  return { ended: isBlock ? 'blocked' : 'failed', answer: '', result: error };
};

export const host: Host = {
  id: 'langchain',
  name: 'LangChain',
  packages: ['langchain', '@langchain/core'],
  docs: [
    'https://docs.langchain.com/oss/javascript/langchain/guardrails',
    'https://docs.langchain.com/oss/javascript/langchain/middleware/custom',
    'https://docs.langchain.com/oss/javascript/langchain/short-term-memory',
  ],
  hooks: {
    input: ['edit', 'block'],
    request: ['edit', 'block'],
    step: ['edit', 'block'],
    toolCall: ['edit', 'block'],
    toolResult: ['edit', 'block'],
    answer: ['edit', 'block'],
  },
  keeps: { history: true, subAgents: true },
  open: ({ baseUrl, guards, tools, child }) => {
    const model = new ChatOpenAI({ model: 'local-model', apiKey: 'none', maxRetries: 0, configuration: { baseURL: baseUrl } });
    const own = tools.map(({ name, run }) =>
      tool(run as never, { name, description: name, schema: z.object({ text: z.string() }) }),
    );
    const helper = child && createAgent({ model, tools: [], middleware: child.guards.map(middlewareOf) as never });
    const ask = async ({ prompt }: { prompt: string }) =>
      textOf((await helper?.invoke({ messages: [new HumanMessage(prompt)] }))?.messages.at(-1));
    const asTool =
      child && tool(ask as never, { name: child.name, description: 'Helps.', schema: z.object({ prompt: z.string() }) });
    const agent = createAgent({
      model,
      tools: (asTool ? [...own, asTool] : own) as never,
      middleware: guards.map(middlewareOf) as never,
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: 'thread' }, recursionLimit: 30 };
    const stateOf = async () => (await agent.graph.getState(config as never)).values as { messages?: BaseMessage[] };
    return {
      generate: async (prompt, signal) => {
        try {
          return outcomeOf(
            (await agent.invoke({ messages: [new HumanMessage(prompt)] }, { ...config, signal })).messages as never,
          );
        } catch (error) {
          return failed(error);
        }
      },
      stream: async (prompt, signal, reader) => {
        try {
          const stream = await agent.stream(
            { messages: [new HumanMessage(prompt)] } as never,
            { ...config, signal, streamMode: 'messages' } as never,
          );
          for await (const [message] of stream as unknown as AsyncIterable<[BaseMessage]>) {
            if (!(message instanceof AIMessageChunk)) continue;
            reader.show(textOf(message), message.id);
            for (const call of message.tool_call_chunks ?? []) reader.also(call.args ?? '');
          }
          reader.end();
          return outcomeOf((await stateOf()).messages ?? []);
        } catch (error) {
          reader.end();
          return failed(error);
        }
      },
      history: async () => ((await stateOf()).messages ?? []).map((message) => message.toDict()),
    };
  },
};
