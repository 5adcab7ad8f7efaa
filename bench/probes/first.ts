import { median } from '../figures.js';
import { benchModel, textAnswer } from '../model.js';
import { guardsProbed, streaming, versionOf, type Probed } from './streaming.js';

const [warmUps, samples] = [100, 50];

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
  for (let run = 0; run < warmUps; run += 1) await once();
  const times: number[] = [];
  for (let run = 0; run < samples; run += 1) times.push(await once());
  return median(times);
};
