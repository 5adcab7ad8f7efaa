import { cpuMs } from '../measure.js';
import { benchModel, textAnswer } from '../model.js';
import { countDeltas } from '../subjects/count-deltas.js';
import { guardsProbed, streaming, versionOf, type Probed } from './streaming.js';

/** What it takes a fresh process to load a subject, and then to its first answer. */
export interface Start {
  readonly loadedCpuMs: number;
  readonly answeredCpuMs: number;
  readonly answeredMs: number;
  readonly loadedMb: number;
}

const residentMb = (): number => process.memoryUsage().rss / 1e6;

/** Loads a subject and hears one short answer of it. */
export const probe = async (name: string): Promise<Start> => {
  const [cpu, wall, mb] = [cpuMs(), performance.now(), residentMb()];
  const stream = await streaming[name as Probed](guardsProbed);
  const [loadedCpuMs, loadedMb] = [cpuMs() - cpu, residentMb() - mb];
  await countDeltas(await stream(benchModel(() => textAnswer(10), versionOf(name))));
  return { loadedCpuMs, loadedMb, answeredCpuMs: cpuMs() - cpu, answeredMs: performance.now() - wall };
};
