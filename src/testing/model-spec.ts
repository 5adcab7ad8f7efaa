import type { MastraModelConfig } from '@mastra/core/llm';
import { fullUsage, type ScriptedUsage } from './deltas.js';

/** The versions of the AI SDK's model interface that a scripted model supports: those of AI SDK 5, 6 and 7. */
export type SpecVersion = 'v2' | 'v3' | 'v4';

type ModelAs<V extends SpecVersion> = Extract<
  MastraModelConfig,
  { specificationVersion: V; doGenerate(options: never): PromiseLike<{ content: unknown }> }
>;

// A table, not a conditional type: TypeScript resolves it before the version is inferred.
interface ModelsByVersion {
  v2: ModelAs<'v2'>;
  v3: ModelAs<'v3'>;
  v4: ModelAs<'v4'>;
}

type PartAs<Model extends ModelsByVersion[SpecVersion]> =
  Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

interface PartsByVersion {
  v2: PartAs<ModelAs<'v2'>>;
  v3: PartAs<ModelAs<'v3'>>;
  v4: PartAs<ModelAs<'v4'>>;
}

/** The model interface of a version, as Mastra accepts it. */
export type LanguageModelOf<V extends SpecVersion> = ModelsByVersion[V];
export type StreamPartOf<V extends SpecVersion> = PartsByVersion[V];
export type CallOptionsOf<V extends SpecVersion> = Parameters<LanguageModelOf<V>['doStream']>[0];
export type GenerateResultOf<V extends SpecVersion> = Awaited<ReturnType<LanguageModelOf<V>['doGenerate']>>;

/** The finish reasons that all versions share. */
export type ScriptedFinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

interface Finish {
  readonly usage: unknown;
  readonly finishReason: unknown;
}

const nested = (reason: ScriptedFinishReason, usage?: ScriptedUsage): Finish => {
  const { inputTokens, outputTokens } = fullUsage(usage);
  return {
    finishReason: { unified: reason, raw: reason },
    usage: {
      inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: outputTokens, text: outputTokens, reasoning: undefined },
    },
  };
};

/** The format of the finish part, which is all that differs between versions. */
export const finishOf: Record<SpecVersion, (reason: ScriptedFinishReason, usage?: ScriptedUsage) => Finish> = {
  v2: (finishReason, usage) => ({ finishReason, usage: fullUsage(usage) }),
  v3: nested,
  v4: nested,
};
