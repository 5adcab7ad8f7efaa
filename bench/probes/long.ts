import type { Processor } from '@mastra/core/processors';
import { gateGuards } from '../gate/guards.js';
import { streamGuards } from '../guards.js';
import { cpuMs } from '../measure.js';
import { endlessModel } from '../model.js';
import { streamThrough } from '../subjects/interlock.js';
import type { LongRunName } from './long-runs.js';
import { guardsProbed } from './streaming.js';

/** A run of a million chunks. */
export interface LongRun {
  readonly chunks: number;
  /** What the answer itself takes, in MB. */
  readonly textMb: number;
  /** Heap in use after a collection, in MB, at each tenth of the way. */
  readonly heapMb: readonly number[];
  readonly cpuUs: number;
}

const chunks = 1_000_000;

const heapMb = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 1e6;
};

/** Through what a long answer goes. Guards of chunks are handed all chunks so far, as Mastra hands them: these stay in memory. */
const guards: Readonly<Record<LongRunName, () => Processor[]>> = {
  'no guards': () => [],
  '3 guards with a window': () => gateGuards('chunk', guardsProbed),
  '3 guards of chunks': () => streamGuards(guardsProbed),
};

/** Reads a long answer chunk by chunk. */
export const probe = async (name: string): Promise<LongRun> => {
  const stream = streamThrough(guards[name as LongRunName]());
  const { model, chars } = endlessModel(chunks);
  const heap: number[] = [];
  let [seen, marks, paused] = [0, 1, 0];
  const from = cpuMs();
  for await (const chunk of await stream(model)) {
    if (chunk.type !== 'text-delta') continue;
    seen += (chunk.payload as { text: string }).text.length;
    if (model.pulled < (marks * chunks) / 10) continue;
    marks += 1;
    const collecting = cpuMs();
    heap.push(heapMb());
    paused += cpuMs() - collecting;
  }
  if (seen !== chars()) throw new Error(`Expected ${chars()} characters, saw ${seen}.`);
  return { chunks, textMb: chars() / 1e6, heapMb: heap, cpuUs: ((cpuMs() - from - paused) * 1_000) / chunks };
};
