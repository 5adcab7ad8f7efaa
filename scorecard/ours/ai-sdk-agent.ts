import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { tool, type LanguageModel, type ToolSet } from 'ai';
import { z } from 'zod';

import type { Guard, Outcome, Reader, Session, Setup } from '../host.js';

/** The part of an AI SDK agent that the scorecard uses. */
export interface SdkAgent {
  readonly generate: (given: { prompt: string; abortSignal: AbortSignal }) => PromiseLike<{ text: string }>;
  readonly stream: (given: {
    prompt: string;
    abortSignal: AbortSignal;
  }) => PromiseLike<{ fullStream: AsyncIterable<unknown>; text: PromiseLike<string> }>;
}

export interface SdkParts {
  readonly model: LanguageModel;
  readonly tools: ToolSet;
  readonly guards: readonly Guard[];
  readonly retries: number;
}

interface Part {
  readonly type: string;
  readonly id?: string;
  readonly text?: string;
  readonly delta?: string;
  readonly input?: unknown;
  readonly error?: unknown;
  readonly data?: { readonly partIds?: readonly string[] };
}

const show = (part: Part, reader: Reader): void => {
  if (part.type === 'text-delta') reader.show(part.text ?? '', part.id);
  if (part.type === 'reasoning-delta') reader.also(part.text ?? '');
  if (part.type === 'tool-input-delta') reader.also(part.delta ?? '');
  if (part.type === 'tool-call') reader.also(JSON.stringify(part.input));
  if (part.type === 'data-interlock-retract') for (const id of part.data?.partIds ?? []) reader.withdraw(id);
};

const ends = new Set(['finish', 'error', 'abort']);

/** A session with an agent of the AI SDK. `isBlock` tells a guard's verdict from other errors. */
export const openSdk = (setup: Setup, make: (parts: SdkParts) => SdkAgent, isBlock: (error: unknown) => boolean): Session => {
  const model = createOpenAICompatible({ name: 'local', baseURL: setup.baseUrl })('local-model');
  const { guards, retries, child } = setup;
  const helper = child && make({ model, tools: {}, guards: child.guards, retries });
  const tools: ToolSet = Object.fromEntries(
    setup.tools.map(({ name, run }) => [
      name,
      tool({ description: name, inputSchema: z.object({ text: z.string() }), execute: run }),
    ]),
  );
  if (helper) {
    tools[child.name] = tool({
      description: 'Helps.',
      inputSchema: z.object({ prompt: z.string() }),
      execute: async ({ prompt }, { abortSignal }) =>
        (await helper.generate({ prompt, abortSignal: abortSignal ?? new AbortController().signal })).text,
    });
  }
  const agent = make({ model, tools, guards, retries });
  const failed = (error: unknown): Outcome => ({ ended: isBlock(error) ? 'blocked' : 'failed', answer: '', result: error });
  return {
    generate: async (prompt, abortSignal) => {
      try {
        const result = await agent.generate({ prompt, abortSignal });
        return { ended: 'completed', answer: result.text, result };
      } catch (error) {
        return failed(error);
      }
    },
    stream: async (prompt, abortSignal, reader) => {
      let error: unknown;
      const result = await agent.stream({ prompt, abortSignal });
      for await (const part of result.fullStream as AsyncIterable<Part>) {
        show(part, reader);
        if (part.type === 'error') error = part.error;
        if (ends.has(part.type) && (part.type !== 'finish' || error === undefined)) reader.end();
      }
      const answer = await Promise.resolve(result.text).catch((thrown: unknown) => void (error ??= thrown));
      return error === undefined ? { ended: 'completed', answer: answer ?? '', result: undefined } : failed(error);
    },
    history: () => Promise.resolve([]),
  };
};
