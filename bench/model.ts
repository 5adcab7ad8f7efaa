import type { MastraModelConfig } from '@mastra/core/llm';
import type { Processor } from '@mastra/core/processors';
import type { LanguageModel } from 'ai';
import { z } from 'zod';
import { finishOf } from '../src/testing/scripted-parts.js';

/** A provider's stream part. */
export type Part = Readonly<Record<string, unknown>> & { readonly type: string };

/** The answer of one call. */
export interface BenchAnswer {
  readonly parts: Iterable<Part>;
  readonly content: readonly Part[];
  readonly reason: 'stop' | 'tool-calls';
  /** Characters of its text. */
  readonly chars: number;
}

/** A model that costs next to nothing: one part per pull. */
export interface BenchModel {
  readonly forMastra: MastraModelConfig;
  readonly forAiSdk: LanguageModel;
  /** The next answer's parts, as a provider streams them. */
  open(): ReadableStream<Part>;
  /** Parts pulled so far, over all calls. */
  readonly pulled: number;
}

/**
 * Makes a model that answers `next()` in each call.
 *
 * @param version the model interface: v2 is the one of most providers for Mastra, v4 is the AI SDK's own
 */
export const benchModel = (next: () => BenchAnswer, version: 'v2' | 'v4' = 'v2'): BenchModel => {
  let pulled = 0;
  const open = (before: readonly Part[], { parts }: Pick<BenchAnswer, 'parts'>, after: readonly Part[]): ReadableStream<Part> => {
    const all = (function* () {
      yield* before;
      yield* parts;
      yield* after;
    })();
    const pull = (controller: ReadableStreamDefaultController<Part>) => {
      const { done, value } = all.next();
      if (done) return controller.close();
      pulled += 1;
      controller.enqueue(value);
    };
    return new ReadableStream<Part>({ pull }, { highWaterMark: 0 });
  };
  const model: unknown = {
    specificationVersion: version,
    provider: 'bench',
    modelId: 'bench-model',
    supportedUrls: {},
    doStream: async () => {
      const answer = next();
      const finish = { type: 'finish', ...finishOf[version](answer.reason) };
      return { stream: open([{ type: 'stream-start', warnings: [] }], answer, [finish]) };
    },
    doGenerate: async () => {
      const { content, reason } = next();
      return { content, ...finishOf[version](reason), warnings: [] };
    },
  };
  return {
    forMastra: model as MastraModelConfig, // built part by part for the interface of `version`
    forAiSdk: model as LanguageModel,
    open: () => open([], next(), []),
    get pulled() {
      return pulled;
    },
  };
};

const words =
  `Your parcel with order 1042 left our house on Monday, and it should be with you by the end of the week. The carrier tried
to reach you twice. If nobody is at home, your neighbour may take it! `.split(/(?<=\s)/u);

/** An answer of `chunks` deltas in sentences, made on demand, so that a long one takes no memory. */
export const textAnswer = (chunks: number): BenchAnswer => {
  const wordAt = (n: number): string => words[n % words.length] ?? '';
  let chars = 0;
  for (let n = 0; n < chunks; n += 1) chars += wordAt(n).length;
  const parts = {
    *[Symbol.iterator](): Generator<Part> {
      yield { type: 'text-start', id: '0' };
      for (let n = 0; n < chunks; n += 1) yield { type: 'text-delta', id: '0', delta: wordAt(n) };
      yield { type: 'text-end', id: '0' };
    },
  };
  return { parts, content: [{ type: 'text', text: 'It is done.' }], reason: 'stop', chars };
};

/** Answers of a run of `steps` steps: all call the tool `echo` but the last. Then the next run begins. */
export const stepAnswers = (steps: number): (() => BenchAnswer) => {
  const last = textAnswer(3);
  let call = 0;
  return () => {
    call += 1;
    if (call % steps === 0) return last;
    const content = [{ type: 'tool-call', toolCallId: `call-${call}`, toolName: 'echo', input: '{"n":1}' }];
    return { parts: content, content, reason: 'tool-calls', chars: 0 };
  };
};

/** The tool of the tool loops. */
export const echo = {
  description: 'Returns its input.',
  inputSchema: z.object({ n: z.number() }),
  execute: async ({ n }: { n: number }) => ({ n }),
};

/** A conversation of `messages` messages, the last by the user. */
export const history = (messages: number) =>
  Array.from({ length: messages }, (_, n) => {
    const text = `Message ${n}: the parcel was sent on Monday and has not arrived yet.`;
    return (messages - n) % 2 === 1
      ? { role: 'user' as const, content: text }
      : { role: 'assistant' as const, content: [{ type: 'text' as const, text }] };
  });

/** Guards that check every chunk and let it pass. */
export const streamGuards = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    id: `guard-${n}`,
    processOutputStream: async ({ part }: Parameters<NonNullable<Processor['processOutputStream']>>[0]) => part,
  }));

/** Guards that check each step before and after the model call and let it pass. */
export const stepGuards = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    id: `guard-${n}`,
    processInputStep: async () => undefined,
    processOutputStep: async ({ messages }: Parameters<NonNullable<Processor['processOutputStep']>>[0]) => messages,
  }));

const counter =
  (...types: readonly string[]) =>
  async (stream: AsyncIterable<{ readonly type: string }>): Promise<number> => {
    let seen = 0;
    for await (const { type } of stream) if (types.includes(type)) seen += 1;
    return seen;
  };

/** Reads a stream to its end and counts the deltas of text. */
export const countDeltas = counter('text-delta');
/** Reads a stream to its end and counts the steps, which the AI SDK ends with another part than Mastra. */
export const countSteps = counter('step-finish', 'finish-step');
