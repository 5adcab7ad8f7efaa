import { median } from '../figures.js';
import { benchModel, textAnswer } from '../model.js';
import { guardsProbed, streaming, versionOf, type Probed } from './streaming.js';

const [warmUps, samples] = [100, 50];
/** Who is slow needs fewer runs. */
const [warmUpMs, samplesMs] = [1_500, 750];

/** Milliseconds from the call to the first text of a warm process, without what the model takes. */
export const probe = async (name: string): Promise<number> => {
  const stream = await streaming[name as Probed](guardsProbed);
  const model = benchModel(() => textAnswer(20), versionOf(name));
  const once = async (): Promise<number> => {
    const from = performance.now();
    let first = NaN;
    for await (const { type } of await stream(model))
      if (type === 'text-delta' && Number.isNaN(first)) first = performance.now() - from;
    return first;
  };
  const many = async (most: number, mostMs: number): Promise<number[]> => {
    const times: number[] = [];
    for (const from = performance.now(); times.length < most && performance.now() - from < mostMs;) times.push(await once());
    return times;
  };
  await many(warmUps, warmUpMs);
  return median(await many(samples, samplesMs));
};
