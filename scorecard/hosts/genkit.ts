import { openAICompatible } from '@genkit-ai/compat-oai';
import { generateMiddleware, genkit, z, type GenerateMiddlewareDef, type MessageData } from 'genkit';

import { Blocked, type Guard, type Host, type Outcome } from '../host.js';

const textOf = (message: MessageData | undefined): string => (message?.content ?? []).map(({ text = '' }) => text).join('');

const carryOut = async (guard: Guard, text: string): Promise<string> => {
  const verdict = await guard.judge(text);
  if (verdict.kind === 'block') throw new Blocked(verdict.reason);
  return verdict.kind === 'edit' ? verdict.text : text;
};

/** Judges a message, and replaces its text where the guard edits. */
const judged = async (guard: Guard, message: MessageData): Promise<MessageData> => {
  const text = textOf(message);
  const edited = await carryOut(guard, text);
  return edited === text
    ? message
    : { ...message, content: [{ text: edited }, ...message.content.filter((part) => part.text === undefined)] };
};

const lastUser = async <M extends { messages: MessageData[] }>(guard: Guard, request: M): Promise<M> => {
  const last = request.messages.findLast(({ role }) => role === 'user');
  if (!last) return request;
  const edited = await judged(guard, last);
  return { ...request, messages: request.messages.map((message) => (message === last ? edited : message)) };
};

const hooks: Readonly<Record<Guard['at'], (guard: Guard) => GenerateMiddlewareDef>> = {
  input: (guard) => ({
    generate: async (envelope, ctx, next) =>
      next(
        envelope.currentTurn === 0
          ? { ...envelope, request: (await lastUser(guard, envelope.request as never)) as never }
          : envelope,
        ctx,
      ),
  }),
  request: (guard) => ({ model: async (request, ctx, next) => next(await lastUser(guard, request), ctx) }),
  stream: (guard) => ({
    model: async (request, ctx, next) => {
      const { onChunk } = ctx;
      const queue: Promise<void>[] = [];
      const judge = async (chunk: { content?: { text?: string }[] }, before: Promise<void> | undefined) => {
        const content = await Promise.all(
          (chunk.content ?? []).map(async (part) =>
            part.text === undefined ? part : { ...part, text: await carryOut(guard, part.text) },
          ),
        );
        await before;
        onChunk?.({ ...chunk, content } as never);
      };
      const response = await next(request, {
        ...ctx,
        ...(onChunk && { onChunk: (chunk: never) => void queue.push(judge(chunk, queue.at(-1))) }),
      });
      await Promise.all(queue);
      return response.message ? { ...response, message: (await judged(guard, response.message as never)) as never } : response;
    },
  }),
  step: (guard) => ({
    model: async (request, ctx, next) => {
      const response = await next(request, ctx);
      return response.message ? { ...response, message: (await judged(guard, response.message as never)) as never } : response;
    },
  }),
  toolCall: (guard) => ({
    tool: async (request, ctx, next) => {
      const text = JSON.stringify(request.toolRequest.input);
      const edited = await carryOut(guard, text);
      return next(
        edited === text ? request : { ...request, toolRequest: { ...request.toolRequest, input: JSON.parse(edited) as unknown } },
        ctx,
      );
    },
  }),
  toolResult: (guard) => ({
    tool: async (request, ctx, next) => {
      const response = await next(request, ctx);
      const text = String(response?.toolResponse.output ?? '');
      const edited = await carryOut(guard, text);
      return response && edited !== text ? { ...response, toolResponse: { ...response.toolResponse, output: edited } } : response;
    },
  }),
  answer: (guard) => ({
    generate: async (envelope, ctx, next) => {
      const response = await next(envelope, ctx);
      const isLast = !response.message?.content.some((part) => part.toolRequest);
      return isLast && response.message
        ? { ...response, message: (await judged(guard, response.message as never)) as never }
        : response;
    },
  }),
};

const isBlock = (error: unknown): boolean =>
  error instanceof Blocked ||
  (error instanceof Error && (isBlock(error.cause) || isBlock((error as { detail?: unknown }).detail)));
const failed = (error: unknown): Outcome => ({
  ended: isBlock(error) ? 'blocked' : 'failed',
  answer: '',
  result: error instanceof Error ? error.message : error,
});

export const host: Host = {
  id: 'genkit',
  name: 'Genkit',
  packages: ['genkit'],
  docs: ['https://genkit.dev/docs/middleware/', 'https://genkit.dev/docs/models/'],
  hooks: {
    input: ['edit', 'block'],
    request: ['edit', 'block'],
    stream: ['edit', 'block'],
    step: ['edit', 'block'],
    toolCall: ['edit', 'block'],
    toolResult: ['edit', 'block'],
    answer: ['edit', 'block'],
  },
  keeps: { history: false, subAgents: true },
  open: ({ baseUrl, guards, tools, child }) => {
    const ai = genkit({
      plugins: [openAICompatible({ name: 'local', baseURL: baseUrl, apiKey: 'none', maxRetries: 0 } as never)],
    });
    const use = (its: readonly Guard[]) =>
      its.map((guard) => generateMiddleware({ name: `${guard.id}-${guard.at}` }, () => hooks[guard.at](guard))());
    const own = tools.map(({ name, run }) =>
      ai.defineTool(
        { name, description: name, inputSchema: z.object({ text: z.string() }), outputSchema: z.string() },
        async (input) => run(input),
      ),
    );
    const helper =
      child &&
      ai.defineTool(
        { name: child.name, description: 'Helps.', inputSchema: z.object({ prompt: z.string() }), outputSchema: z.string() },
        async ({ prompt }) => (await ai.generate({ model: 'local/local-model', prompt, use: use(child.guards) as never })).text,
      );
    const request = (prompt: string, abortSignal: AbortSignal) => ({
      model: 'local/local-model',
      prompt,
      abortSignal,
      tools: (helper ? [...own, helper] : own) as never,
      use: use(guards) as never,
      maxTurns: 5,
    });
    return {
      generate: async (prompt, signal) => {
        try {
          const response = await ai.generate(request(prompt, signal));
          return {
            ended: 'completed',
            answer: response.text,
            result: { message: response.message, messages: response.messages },
          };
        } catch (error) {
          return failed(error);
        }
      },
      stream: async (prompt, signal, reader) => {
        try {
          const { stream, response } = ai.generateStream(request(prompt, signal));
          response.catch(() => {});
          for await (const chunk of stream) {
            reader.show(chunk.text, String(chunk.index));
            for (const part of chunk.content) if (part.reasoning) reader.also(part.reasoning);
            for (const call of chunk.toolRequests) reader.also(JSON.stringify(call.toolRequest.input));
          }
          const { text, message } = await response;
          reader.end();
          return { ended: 'completed', answer: text, result: message };
        } catch (error) {
          reader.end();
          return failed(error);
        }
      },
      history: () => Promise.resolve([]),
    };
  },
};
