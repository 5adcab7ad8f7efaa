import { setTimeout } from 'node:timers/promises';

import type { Worker } from './processes.js';
import type { MortalServer } from './servers/mortal-server.js';
import type { Site, Way } from './sites.js';

/** A fault at a site, with the processes that it may concern. */
export interface Scene {
  readonly site: Site;
  readonly random: () => number;
  /** The process in which most happens. */
  readonly victim: Worker;
  /** Starts another process of the same agents, with another key or none. */
  intrude(key?: string): Worker;
}

/** A fault, which ends before it returns. */
export interface Fault {
  readonly name: string;
  /** Whether it concerns every process, and not only the victim. */
  readonly isShared?: boolean;
  /** Whether it needs encrypted runs. */
  readonly needsKeys?: boolean;
  /** Whether the victim is dead after it. */
  readonly kills?: boolean;
  act(scene: Scene): Promise<void> | void;
}

/** Longer than every engine's lease in these tests. */
const longMs = 4_500;

const between = ({ random }: Scene, least: number, most: number): number => Math.floor(least + random() * (most - least));

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
  { name: 'blocked', act: (scene) => scene.victim.command({ kind: 'block', ms: between(scene, 500, longMs) }) },
  { name: 'clock', act: (scene) => scene.victim.command({ kind: 'clock', byMs: between(scene, -1, 2) * 3_600_000 }) },
];

/** A process without the right key, which lives for a while, for runs that are encrypted. */
const intruders: readonly Fault[] = [
  ['wrong key', 'w'],
  ['no key', undefined],
].map(([name = '', key]) => ({
  name,
  isShared: true,
  needsKeys: true,
  act: async (scene) => {
    const intruder = scene.intrude(key);
    await Promise.race([intruder.died, setTimeout(longMs)]);
    intruder.kill();
    await intruder.died;
  },
}));

const ofFiles: readonly Fault[] = [
  { name: 'disk full', act: (scene) => scene.victim.command({ kind: 'full', ms: between(scene, 500, longMs) }) },
];

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
  const during = (name: string, lose: () => void): Fault => ({
    name: `${name} ${number}`,
    isShared: true,
    act: async (scene) => {
      lose();
      await setTimeout(between(scene, 200, longMs));
      way.mend();
    },
  });
  const { cut, deafen } = way;
  return [during('cut', cut), ...(deafen ? [during('lost answers', deafen)] : [])];
};

/** The faults of an engine: the same list for each, as far as it has a file, a server and ways to it. */
export const faultsOf = ({ server, ways }: Site): readonly Fault[] => [
  ...inProcess,
  ...(server ? [ofServer(server), ...ways.flatMap(ofWay)] : ofFiles),
  ...intruders,
];
