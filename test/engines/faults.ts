import { setTimeout } from 'node:timers/promises';

import type { Worker } from './processes.js';
import type { MortalServer } from './servers/mortal-server.js';
import type { Site, Way } from './sites.js';
import type { Orders } from './worker.js';

/** A fault at a site, with the processes that it may concern. */
export interface Scene {
  readonly site: Site;
  readonly random: () => number;
  /** The process in which most happens. */
  readonly victim: Worker;
  /** All processes, with the victim. */
  readonly workers: readonly Worker[];
  /** Starts another process of the same agents, which differs in the given orders. */
  intrude(orders: Partial<Orders>): Worker;
}

/** A fault, which ends before it returns. */
export interface Fault {
  readonly name: string;
  /** Whether it concerns every process, and not only the victim. */
  readonly isShared?: boolean;
  /** Whether it needs encrypted runs. */
  readonly needsKeys?: boolean;
  /** Whether it comes once the code of each run is settled: a run that begins during it would have other code than its twin. */
  readonly comesLate?: boolean;
  /** Whether those that it concerns are dead after it. */
  readonly kills?: boolean;
  /** Whether processes that start after it have a new key, and read with the earlier ones. */
  readonly rotates?: boolean;
  act(scene: Scene): Promise<void> | void;
}

/** Longer than every engine's lease in these tests. */
const longMs = 4_500;

const between = ({ random }: Scene, least: number, most: number): number => Math.floor(least + random() * (most - least));

/** Lets the victim cause a fault inside it, and waits for its end. */
const during = async (scene: Scene, kind: 'block' | 'full'): Promise<void> => {
  const ms = between(scene, 500, longMs);
  scene.victim.command({ kind, ms });
  await setTimeout(ms);
};

const inProcess: readonly Fault[] = [
  {
    name: 'killed',
    kills: true,
    act: async ({ victim }) => {
      victim.kill();
      await victim.died;
    },
  },
  {
    name: 'paused',
    act: async (scene) => {
      scene.victim.pause();
      await setTimeout(between(scene, 500, longMs));
      scene.victim.wake();
    },
  },
  { name: 'blocked', act: (scene) => during(scene, 'block') },
  { name: 'clock', act: (scene) => scene.victim.command({ kind: 'clock', byMs: between(scene, -1, 2) * 3_600_000 }) },
];

/** Another process lives for a while. */
const intruded = async (intruder: Worker): Promise<void> => {
  await Promise.race([intruder.died, setTimeout(longMs)]);
  intruder.kill();
  await intruder.died;
};

/** A process without the right key, for runs that are encrypted. */
const intruders: readonly Fault[] = [
  ['wrong key', 'w'],
  ['no key', undefined],
].map(([name = '', key]) => ({
  name,
  isShared: true,
  needsKeys: true,
  act: ({ intrude }) => intruded(intrude({ key, previousKeys: [] })),
}));

/** All processes are replaced by processes with a new key. */
const rotation: Fault = {
  name: 'rotated key',
  isShared: true,
  needsKeys: true,
  kills: true,
  rotates: true,
  act: async ({ workers }) => {
    for (const worker of workers) worker.kill();
    await Promise.all(workers.map(({ died }) => died));
  },
};

/** A process with other guards replaces all others: their runs wait for their own code, which comes back. */
const deployment: Fault = {
  name: 'deployed',
  isShared: true,
  comesLate: true,
  kills: true,
  act: async ({ workers, intrude }) => {
    const deployed = intrude({ version: { guards: ['new'] } });
    await deployed.there;
    for (const worker of workers) worker.kill();
    await Promise.all(workers.map(({ died }) => died));
    await intruded(deployed);
  },
};

const ofFiles: readonly Fault[] = [{ name: 'disk full', act: (scene) => during(scene, 'full') }];

const ofServer = (server: MortalServer): Fault => ({
  name: 'server killed',
  isShared: true,
  act: async (scene) => {
    await server.kill();
    await setTimeout(between(scene, 0, 2_000));
    await server.start();
  },
});

const ofWay = (way: Way, number: number): Fault[] => {
  const whileLost = (name: string, lose: () => void): Fault => ({
    name: `${name} ${number}`,
    isShared: true,
    act: async (scene) => {
      lose();
      await setTimeout(between(scene, 200, longMs));
      way.mend();
    },
  });
  const { cut, deafen } = way;
  return [whileLost('cut', cut), ...(deafen ? [whileLost('lost answers', deafen)] : [])];
};

/** The faults of an engine: the same list for each, as far as it has a file, a server and ways to it. */
export const faultsOf = ({ server, ways }: Site): readonly Fault[] => [
  ...inProcess,
  ...(server ? [ofServer(server), ...ways.flatMap(ofWay)] : ofFiles),
  ...intruders,
  deployment,
  rotation,
];
