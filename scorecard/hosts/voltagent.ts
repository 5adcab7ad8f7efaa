import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent, createTool, InMemoryStorageAdapter, Memory, ToolDeniedError } from '@voltagent/core';
import { z } from 'zod';

import { Blocked, type At, type Guard, type Host, type Outcome, type Reader, type Verdict } from '../host.js';

const at = (guards: readonly Guard[], place: At) => guards.filter((guard) => guard.at === place);

const inputGuardrail = (guard: Guard) => ({
  id: guard.id,
  name: guard.id,
  handler: async ({ inputText }: { inputText: string }) => {
    const verdict = await guard.judge(inputText);
    if (verdict.kind === 'block') return { pass: false, action: 'block', message: verdict.reason };
    return verdict.kind === 'edit' ? { pass: true, action: 'modify', modifiedInput: verdict.text } : { pass: true };
  },
});

const answerGuardrail = (guard: Guard) => ({
  id: guard.id,
  name: guard.id,
  handler: async ({ outputText = '' }: { outputText?: string }) => {
    const verdict = await guard.judge(outputText);
    if (verdict.kind === 'block') return { pass: false, action: 'block', message: verdict.reason };
    return verdict.kind === 'edit' ? { pass: true, action: 'modify', modifiedOutput: verdict.text } : { pass: true };
  },
});

interface Part {
  readonly type: string;
  readonly id?: string;
  readonly text?: string;
  readonly delta?: string;
  readonly input?: unknown;
  readonly error?: unknown;
}

const carryOut = async (guard: Guard, text: string, abort: (reason?: string) => never): Promise<string> => {
  const verdict = await guard.judge(text);
  if (verdict.kind === 'block') return abort(verdict.reason);
  return verdict.kind === 'edit' ? verdict.text : text;
};

interface StreamArgs {
  readonly part: Part;
  readonly state: { held?: string };
  readonly abort: (reason?: string) => never;
}

/**
 * `generate` calls the handler with the whole answer, a stream calls the stream handler with each part. A guard of whole values
 * keeps what follows the last space in its state, as the redactors of the host do.
 */
const streamGuardrail = (guard: Guard) => ({
  ...answerGuardrail(guard),
  streamHandler: async ({ part, state, abort }: StreamArgs) => {
    if (part.type !== 'text-delta' && part.type !== 'reasoning-delta') return part;
    const key = part.text === undefined ? 'delta' : 'text';
    const text = `${state.held ?? ''}${part[key] ?? ''}`;
    const end = guard.buffered ? text.search(/\S*$/u) : text.length;
    state.held = text.slice(end);
    return { ...part, [key]: end > 0 ? await carryOut(guard, text.slice(0, end), abort) : '' };
  },
});

const edited = (verdict: Verdict, text: string): string => (verdict.kind === 'edit' ? verdict.text : text);

const isBlock = (error: unknown): boolean =>
  error instanceof Blocked ||
  /GUARDRAIL|TOOL_DENIED|TOOL_FORBIDDEN/u.test(
    String((error as { code?: unknown } | undefined)?.code ?? (error as { name?: unknown } | undefined)?.name),
  );
const failed = (error: unknown): Outcome => ({ ended: isBlock(error) ? 'blocked' : 'failed', answer: '', result: error });

const show = (part: Part, reader: Reader): void => {
  if (part.type === 'text-delta') reader.show(part.text ?? part.delta ?? '', part.id);
  if (part.type === 'reasoning-delta') reader.also(part.text ?? part.delta ?? '');
  if (part.type === 'tool-input-delta') reader.also(part.delta ?? '');
  if (part.type === 'tool-call') reader.also(JSON.stringify(part.input));
};

const ends = new Set(['finish', 'error', 'abort']);

export const host: Host = {
  id: 'voltagent',
  name: 'VoltAgent',
  packages: ['@voltagent/core'],
  docs: [
    'https://voltagent.dev/docs/guardrails/overview/',
    'https://voltagent.dev/docs/agents/hooks/',
    'https://voltagent.dev/docs/guardrails/built-in/',
  ],
  hooks: {
    input: ['edit', 'block'],
    request: ['edit'],
    stream: ['edit', 'block'],
    toolCall: ['block'],
    toolResult: ['edit'],
    answer: ['edit', 'block'],
  },
  buffers: true,
  keeps: { history: true, subAgents: true },
  open: ({ baseUrl, guards, tools, child }) => {
    const model = createOpenAICompatible({ name: 'local', baseURL: baseUrl, includeUsage: true })('local-model');
    const memory = new Memory({ storage: new InMemoryStorageAdapter() });
    const ofCalls = at(guards, 'toolCall');
    const ofResults = at(guards, 'toolResult');
    const ofRequests = at(guards, 'request');
    const make = (name: string, its: readonly Guard[], more: object) =>
      new Agent({
        name,
        instructions: 'Help.',
        model,
        maxRetries: 0,
        maxSteps: 5,
        inputGuardrails: at(its, 'input').map(inputGuardrail),
        outputGuardrails: [...at(its, 'stream').map(streamGuardrail), ...at(its, 'answer').map(answerGuardrail)],
        ...more,
      } as never);
    const helper = child && make(child.name, child.guards, { purpose: 'Helps.', memory: false });
    const own = tools.map(({ name, run }) =>
      createTool({ name, description: name, parameters: z.object({ text: z.string() }), execute: run as never }),
    );
    const agent = make('agent', guards, {
      memory,
      tools: helper ? [...own, helper.toTool({ name: child.name, description: 'Helps.' })] : own,
      hooks: {
        onPrepareModelMessages: async ({ modelMessages }: { modelMessages: readonly { role: string; content: unknown }[] }) => {
          const last = modelMessages.findLast(({ role }) => role === 'user');
          let text = JSON.stringify(last?.content ?? '');
          for (const guard of ofRequests) text = edited(await guard.judge(text), text);
          return {
            modelMessages: modelMessages.map((it) => (it === last ? { ...it, content: JSON.parse(text) as unknown } : it)),
          };
        },
        onToolEnd: async ({ output, error }: { output: unknown; error: unknown }) => {
          if (error !== undefined || ofResults.length === 0) return undefined;
          let text = String(output);
          for (const guard of ofResults) text = edited(await guard.judge(text), text);
          return { output: text };
        },
        onToolStart: async ({ tool, args }: { tool: { name: string }; args: unknown }) => {
          for (const guard of ofCalls)
            if ((await guard.judge(JSON.stringify(args))).kind === 'block')
              throw new ToolDeniedError({ toolName: tool.name, message: 'not allowed', code: 'TOOL_FORBIDDEN', httpStatus: 403 });
        },
      },
    });
    const talk = { userId: 'user', conversationId: 'thread' };
    return {
      generate: async (prompt, abortSignal) => {
        try {
          const result = await agent.generateText(prompt, { ...talk, abortSignal } as never);
          return {
            ended: 'completed',
            answer: result.text,
            result: { text: result.text, steps: result.steps, response: result.response },
          };
        } catch (error) {
          return failed(error);
        }
      },
      stream: async (prompt, abortSignal, reader) => {
        let error: unknown;
        let isStopped = false;
        try {
          const result = await agent.streamText(prompt, { ...talk, abortSignal } as never);
          for await (const part of result.fullStream as AsyncIterable<Part>) {
            show(part, reader);
            isStopped ||= part.type === 'input-guardrail-blocked';
            if (part.type === 'error') error = part.error;
            if (ends.has(part.type) && (part.type !== 'finish' || error === undefined)) reader.end();
          }
          const answer = await Promise.resolve(result.text).catch((thrown: unknown) => void (error ??= thrown));
          if (isStopped) return { ended: 'blocked', answer: '', result: undefined };
          return error === undefined ? { ended: 'completed', answer: answer ?? '', result: undefined } : failed(error);
        } catch (thrown) {
          reader.end();
          return failed(thrown);
        }
      },
      history: async () => {
        await new Promise((resolve) => setTimeout(resolve, 200)); // messages are saved in the background
        return memory.getMessages('user', 'thread');
      },
    };
  },
};
