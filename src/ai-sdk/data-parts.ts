import { checkDataPart } from '../loop/emit.js';
import type { RunScope } from '../phase/scope.js';
import { openLane } from './lane.js';
import type { Run } from './run.js';
import type { Chunk } from './spec.js';

const dataCodec = { toChunk: (chunk: Chunk) => chunk, toPart: () => undefined };

/** The scope for one call of guards between the model's calls. Data that they write is sent by `release`, once they have passed. */
export const withWriter = (run: Run): { readonly scope: RunScope; readonly release: () => void } => {
  const written: Chunk[] = [];
  let isReleased = false;
  const onData = (chunk: Chunk): void => (isReleased ? run.showData(chunk) : void written.push(chunk));
  const custom = async (chunk: Chunk): Promise<void> => {
    checkDataPart(chunk);
    const lane = openLane<Chunk>(run, dataCodec, { onData });
    try {
      await lane.push(chunk);
      await lane.end();
    } finally {
      lane.close();
    }
  };
  return {
    scope: Object.create(run.scope, { writer: { value: { custom }, enumerable: true } }) as RunScope,
    release: () => {
      isReleased = true;
      for (const chunk of written) run.showData(chunk);
    },
  };
};
