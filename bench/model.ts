import type { MastraModelConfig } from '@mastra/core/llm';
import type { LanguageModel } from 'ai';
import { finishOf } from '../src/testing/model-spec.js';

/** A provider's stream part: a bench looks at its type. */
export type Part = Readonly<Record<string, unknown>> & { readonly type: string };

/** The model interface: v2 is what most providers for Mastra speak, v4 is the AI SDK's own. */
type Version = 'v2' | 'v4';

/** What one call answers. */
export interface BenchAnswer {
  readonly parts: readonly Part[];
  readonly content: readonly Part[];
  readonly reason: 'stop' | 'tool-calls';
}

/** A model that costs next to nothing: its parts stand in an array and are handed out one per pull. */
export interface BenchModel {
  /** As Mastra's agents take it. */
  readonly forMastra: MastraModelConfig;
  /** As the AI SDK takes it. */
  readonly forAiSdk: LanguageModel;
  /** A stream of the next answer's parts, as a provider gives it. */
  open(): ReadableStream<Part>;
  /** Parts pulled so far, over all calls. */
  readonly pulled: number;
}

/** Makes a model that says `next()` in each call. */
export const benchModel = (next: () => BenchAnswer, version: Version = 'v2'): BenchModel => {
  let pulled = 0;
  const open = (parts: readonly Part[]): ReadableStream<Part> => {
    let at = 0;
    const pull = (controller: ReadableStreamDefaultController<Part>) => {
      const part = parts[at];
      if (!part) return controller.close();
      at += 1;
      pulled += 1;
      controller.enqueue(part);
    };
    return new ReadableStream<Part>({ pull }, { highWaterMark: 0 });
  };
  const model: unknown = {
    specificationVersion: version,
    provider: 'bench',
    modelId: 'bench-model',
    supportedUrls: {},
    doStream: async () => {
      const { parts, reason } = next();
      return {
        stream: open([{ type: 'stream-start', warnings: [] }, ...parts, { type: 'finish', ...finishOf[version](reason) }]),
      };
    },
    doGenerate: async () => {
      const { content, reason } = next();
      return { content, ...finishOf[version](reason), warnings: [] };
    },
  };
  return {
    forMastra: model as MastraModelConfig, // built part by part to the interface that `version` names
    forAiSdk: model as LanguageModel,
    open: () => open(next().parts),
    get pulled() {
      return pulled;
    },
  };
};

/** An answer of `chunks` deltas. */
export const textAnswer = (chunks: number): BenchAnswer => {
  const deltas = Array.from({ length: chunks }, (_, n) => ({ type: 'text-delta', id: '0', delta: `word ${n % 100} ` }));
  return {
    parts: [{ type: 'text-start', id: '0' }, ...deltas, { type: 'text-end', id: '0' }],
    content: [{ type: 'text', text: 'It is done.' }],
    reason: 'stop',
  };
};

/** One answer of so many deltas, which are made as they are asked for; `chars` says how long it is by now. */
export const endlessModel = (chunks: number): { model: BenchModel; chars: () => number } => {
  let [at, chars] = [0, 0];
  const next = (): Part | undefined => {
    at += 1;
    if (at === 1) return { type: 'stream-start', warnings: [] };
    if (at === 2) return { type: 'text-start', id: '0' };
    if (at < chunks + 3) {
      const delta = `word ${at % 100} `;
      chars += delta.length;
      return { type: 'text-delta', id: '0', delta };
    }
    if (at === chunks + 3) return { type: 'text-end', id: '0' };
    return at === chunks + 4 ? { type: 'finish', ...finishOf.v2('stop') } : undefined;
  };
  const pull = (controller: ReadableStreamDefaultController<Part>) => {
    const part = next();
    if (part) controller.enqueue(part);
    else controller.close();
  };
  const open = () => new ReadableStream<Part>({ pull }, { highWaterMark: 0 });
  const named = { specificationVersion: 'v2', provider: 'bench', modelId: 'bench-model', supportedUrls: {} };
  const made: unknown = { ...named, doStream: async () => ({ stream: open() }) };
  const model: BenchModel = {
    forMastra: made as MastraModelConfig, // of the interface that it names
    forAiSdk: made as LanguageModel,
    open,
    get pulled() {
      return at;
    },
  };
  return { model, chars: () => chars };
};

/** Answers of a run of `steps` steps: all call the tool `echo` but the last. Then the next run begins. */
export const stepAnswers = (steps: number): (() => BenchAnswer) => {
  const last = textAnswer(3);
  let call = 0;
  return () => {
    call += 1;
    if (call % steps === 0) return last;
    const content = [{ type: 'tool-call', toolCallId: `call-${call}`, toolName: 'echo', input: '{"n":1}' }];
    return { parts: content, content, reason: 'tool-calls' };
  };
};
