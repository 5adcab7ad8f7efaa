import { setTimeout as wait } from 'node:timers/promises';

import type { MastraModelConfig } from '@mastra/core/llm';
import { finishOf } from '../../src/testing/scripted-parts.js';

export interface Pace {
  readonly chunks: number;
  readonly chunkMs: number;
}

/** A model that streams like a provider: a chunk, a pause, a chunk. */
export const pacedModel = ({ chunks, chunkMs }: Pace): MastraModelConfig => {
  const parts = async function* () {
    yield { type: 'stream-start', warnings: [] };
    yield { type: 'text-start', id: '1' };
    for (let index = 0; index < chunks; index += 1) {
      await wait(chunkMs);
      yield { type: 'text-delta', id: '1', delta: `word number ${index}. ` };
    }
    yield { type: 'text-end', id: '1' };
    yield { type: 'finish', ...finishOf.v2('stop') };
  };
  const model: unknown = {
    specificationVersion: 'v2',
    provider: 'bench',
    modelId: 'paced',
    supportedUrls: {},
    doStream: async () => ({ stream: ReadableStream.from(parts()) }),
  };
  return model as MastraModelConfig; // as a provider's model
};
