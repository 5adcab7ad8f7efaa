import { InterlockAgent, memoryEngine } from '../../src/index.js';
import type { Durable, Engine } from '../../src/engine.js';
import { scriptedModel } from '../../src/testing/index.js';
import { worker, type Work } from './works.js';

/** The data of one run that an engine stores. */
export interface PersistedSize {
  readonly steps: number;
  /** Bytes of the first step, which contains the conversation after the input guards. */
  readonly firstBytes: number;
  /** Mean bytes of each other step. */
  readonly otherBytes: number;
}

interface PersistedStep {
  readonly key: string;
  readonly bytes: number;
}

/** The same engine, with counted steps. */
const counted = (engine: Engine, steps: PersistedStep[]): Engine => {
  const seen = (durable: Durable): Durable => ({
    ...durable,
    step: async (key, run, records) => {
      const text = await durable.step(key, (inner) => run(seen(inner)), records);
      steps.push({ key, bytes: Buffer.byteLength(text) });
      return text;
    },
  });
  return { ...engine, host: (program) => engine.host({ ...program, run: (durable, call) => program.run(seen(durable), call) }) };
};

/** The stored data of a work's run, the same on every engine. */
export const persistedSizeOf = async (work: Work): Promise<PersistedSize> => {
  const steps: PersistedStep[] = [];
  await worker(work, counted(memoryEngine(), steps))();
  const [first = 0, ...others] = steps.map(({ bytes }) => bytes).toSorted((a, b) => b - a);
  return { steps: steps.length, firstBytes: first, otherBytes: others.reduce((sum, bytes) => sum + bytes, 0) / others.length };
};

const stepsAtChunks = async (chunks: number): Promise<number> => {
  const steps: PersistedStep[] = [];
  const model = scriptedModel({ steps: [{ text: Array.from({ length: chunks }, () => 'word ') }] });
  const agent = new InterlockAgent({
    id: 'long',
    name: 'Long',
    instructions: 'Say it.',
    model,
    durability: counted(memoryEngine(), steps),
  });
  await agent.generate('Say it.');
  return steps.length;
};

/** The number of additional steps for an answer of ten thousand chunks, compared with one of ten. */
export const stepsOfChunks = async (): Promise<number> => (await stepsAtChunks(10_000)) - (await stepsAtChunks(10));
