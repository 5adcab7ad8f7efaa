import { benchModel, textAnswer } from '../model.js';
import { countDeltas } from '../subjects/count-deltas.js';
import { guardsProbed, streaming, versionOf, type Probed } from './streaming.js';

const [chunks, answers] = [16_000, 3];

/** The most memory, in MB, that a process held while it heard some long answers. */
export const probe = async (name: string): Promise<number> => {
  const stream = await streaming[name as Probed](guardsProbed);
  const answer = textAnswer(chunks);
  const model = benchModel(() => answer, versionOf(name));
  for (let run = 0; run < answers; run += 1) await countDeltas(await stream(model));
  return (process.resourceUsage().maxRSS * 1_024) / 1e6;
};
