import { InterlockAgent, memoryEngine, type Durable, type Engine } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { worker, type Work } from './works.js';

/** The data of one run that an engine stores. */
export interface Kept {
  readonly steps: number;
  /** Bytes of the first step, which contains the conversation after the input guards. */
  readonly firstBytes: number;
  /** Mean bytes of each other step. */
  readonly otherBytes: number;
}

interface KeptStep {
  readonly key: string;
  readonly bytes: number;
}

/** The same engine, with counted steps. */
const counted = (engine: Engine, kept: KeptStep[]): Engine => {
  const seen = (durable: Durable): Durable => ({
    canceled: durable.canceled,
    step: async (key, run) => {
      const text = await durable.step(key, (inner) => run(seen(inner)));
      kept.push({ key, bytes: Buffer.byteLength(text) });
      return text;
    },
  });
  return { ...engine, host: (program) => engine.host({ ...program, run: (durable, call) => program.run(seen(durable), call) }) };
};

/** The stored data of a work's run, the same on every engine. */
export const keptOf = async (work: Work): Promise<Kept> => {
  const kept: KeptStep[] = [];
  await worker(work, counted(memoryEngine(), kept))();
  const [first = 0, ...others] = kept.map(({ bytes }) => bytes).toSorted((a, b) => b - a);
  return { steps: kept.length, firstBytes: first, otherBytes: others.reduce((sum, bytes) => sum + bytes, 0) / others.length };
};

const stepsAtChunks = async (chunks: number): Promise<number> => {
  const kept: KeptStep[] = [];
  const model = scriptedModel({ steps: [{ text: Array.from({ length: chunks }, () => 'word ') }] });
  const agent = new InterlockAgent({
    id: 'long',
    name: 'Long',
    instructions: 'Say it.',
    model,
    durability: counted(memoryEngine(), kept),
  });
  await agent.generate('Say it.');
  return kept.length;
};

/** The number of additional steps for an answer of ten thousand chunks, compared with one of ten. */
export const stepsOfChunks = async (): Promise<number> => (await stepsAtChunks(10_000)) - (await stepsAtChunks(10));
