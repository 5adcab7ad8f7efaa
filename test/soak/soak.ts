import { getEventListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

import pLimit from 'p-limit';

import type { Engine } from '../../src/engine.js';
import type { InterlockAgent } from '../../src/index.js';
import { createAgents } from './agents.js';
import { drawFates, type Fate } from './fate.js';
import { live } from './live.js';

export interface SoakOptions {
  readonly runs: number;
  readonly atOnce: number;
  /** The same seed draws the same fates. */
  readonly seed: number;
  /** The number of runs per window. */
  readonly window: number;
  /** The engine of durable runs; without it, runs live in the process. */
  readonly engine?: Engine;
  /** Called with each window. */
  readonly onWindow?: (window: Window) => void;
}

/** The remains in the process after a number of runs, none of which is under way any more. */
export interface Window {
  readonly runs: number;
  /** Heap in use after a full collection; undefined if the process cannot collect. */
  readonly heapBytes: number | undefined;
  /** Timers, without those with which the engine polls. */
  readonly timers: number;
  /** Listeners on the shared signal. */
  readonly listeners: number;
  /** Durable runs that are stored after all that ended were pruned. */
  readonly storedRuns: number;
  readonly seconds: number;
}

export interface Soaked {
  /** The number of runs by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Failed checks of runs, with their fates. */
  readonly complaints: readonly { readonly complaint: string; readonly fate: Fate }[];
  readonly unhandled: readonly string[];
  /** Warnings of the process, e.g. about too many listeners. */
  readonly warnings: readonly string[];
  readonly windows: readonly Window[];
}

/** Runs agents at random, `atOnce` at a time, and measures after each window what they leave behind. */
export const soak = async ({ runs, atOnce, seed, window, engine, onWindow }: SoakOptions): Promise<Soaked> => {
  const shared = new AbortController().signal;
  const world = { agents: createAgents(engine), shared };
  const limit = pLimit(atOnce);
  const statuses: Record<string, number> = {};
  const complaints: { complaint: string; fate: Fate }[] = [];
  const windows: Window[] = [];
  const noise = listenToProcess();
  const polling = engine ? await pollingTimers() : 0;
  const startedAt = performance.now();
  const one = async (fate: Fate) => {
    const observations = await live(fate, world);
    statuses[observations.status] = (statuses[observations.status] ?? 0) + 1;
    for (const complaint of observations.complaints) complaints.push({ complaint, fate });
  };
  for (let done = 0; done < runs;) {
    const count = Math.min(window, runs - done);
    await Promise.all(drawFates(world.agents.length, { runs: count, seed: seed + done }).map((fate) => limit(one, fate)));
    done += count;
    const storedRuns = engine ? await prune(world.agents) : 0;
    const state = { ...(await look(shared, polling)), storedRuns, runs: done, seconds: (performance.now() - startedAt) / 1_000 };
    windows.push(state);
    onWindow?.(state);
  }
  return { statuses, complaints, windows, ...noise.stop() };
};

/** Deletes the runs that ended, and returns the number of the others. */
const prune = async (agents: readonly InterlockAgent[]): Promise<number> => {
  let stored = 0;
  for (const agent of agents) {
    await agent.prune({ olderThan: new Date(Date.now() + 1_000) });
    stored += (await agent.listRuns({ limit: Infinity })).length;
  }
  return stored;
};

const countTimers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

/** The time limit for remaining work: shadow guards judge after their runs, one chunk after another. */
const mostQuietMs = 30_000;

/** The number of timers with which an idle engine polls. */
const pollingTimers = async (): Promise<number> => {
  let most = 0;
  for (let looks = 0; looks < 40; looks += 1) {
    await wait(50);
    most = Math.max(most, countTimers());
  }
  return most;
};

/** Waits until no more timers run than those of the engine, or the remaining ones stay. */
const rest = async (polling: number): Promise<void> => {
  const until = performance.now() + mostQuietMs;
  do await wait(50);
  while (countTimers() > polling && performance.now() < until);
};

const look = async (shared: AbortSignal, polling: number): Promise<Pick<Window, 'heapBytes' | 'timers' | 'listeners'>> => {
  await rest(polling);
  const timers = Math.max(countTimers() - polling, 0);
  await globalThis.gc?.({ type: 'major', execution: 'async' }); // between two turns of the event loop, with an empty stack
  globalThis.gc?.();
  const heapBytes = globalThis.gc && process.memoryUsage().heapUsed;
  return { heapBytes, timers, listeners: getEventListeners(shared, 'abort').length };
};

const listenToProcess = () => {
  const unhandled: string[] = [];
  const warnings: string[] = [];
  const onUnhandled = (reason: unknown) => void unhandled.push(String(reason instanceof Error ? reason.stack : reason));
  const onWarning = ({ name, message }: Error) => void warnings.push(`${name}: ${message}`);
  process.on('unhandledRejection', onUnhandled);
  process.on('warning', onWarning);
  return {
    stop: () => {
      process.off('unhandledRejection', onUnhandled);
      process.off('warning', onWarning);
      return { unhandled, warnings };
    },
  };
};
