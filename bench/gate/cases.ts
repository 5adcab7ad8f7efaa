import type { BenchCase } from '../case.js';
import type { WindowName } from './guards.js';

export const gateSizes = [2_000, 8_000];
export const gateSubjects = ['gate', 'interlock', 'mastra'] as const;
export type GateSubject = (typeof gateSubjects)[number];

/** Windows and how many guards have them. */
export const gateLines: readonly { readonly window: WindowName; readonly guards: number }[] = (
  ['chunk', 'sentence', 'part'] as const
)
  .flatMap((window) => [1, 3, 10].map((guards): { window: WindowName; guards: number } => ({ window, guards })))
  .concat([{ window: 'pattern', guards: 3 }]);

export const gateCase = (subject: GateSubject, window: WindowName, guards: number): string =>
  `gate ${subject} ${window} ${guards}`;

export const plainCase = 'gate plain loop 3';

const one = (deltas: number): number => deltas;

/** What a delta costs through guards with windows: in the gate alone, in an agent, and where a stock agent asks for each chunk. */
export const gateCases: readonly BenchCase[] = [
  {
    name: plainCase,
    sizes: gateSizes,
    quick: true,
    units: one,
    load: async () => (await import('../subjects/loop.js')).plainLoop(3),
  },
  ...gateLines.flatMap(({ window, guards }) =>
    gateSubjects.map((subject): BenchCase => ({
      name: gateCase(subject, window, guards),
      sizes: gateSizes,
      quick: guards === 3,
      units: one,
      load: async () => (await import('./subjects.js'))[subject]({ window, guards }),
    })),
  ),
];
