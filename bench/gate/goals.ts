import { lowest, type Figures } from '../figures.js';
import type { Goal } from '../goal.js';
import { gateCase, plainCase } from './cases.js';
import { judgeMs, type WaitName } from './wait-names.js';
import type { Waited } from './waits.js';

/** What was waited for, by name, with every sample. */
export type Waits = Readonly<Partial<Record<WaitName, readonly Waited[]>>>;

/** The shortest time, for whatever else a machine does only adds to it. */
export const lowestMs = (waits: Waits, name: WaitName): number | undefined => {
  const samples = waits[name];
  return samples && lowest(samples.map(({ ms }) => ms));
};

/** How often the guards were asked, at most. */
export const mostAsked = (waits: Waits, name: WaitName): number | undefined => {
  const samples = waits[name];
  return samples && Math.max(...samples.map(({ asked }) => asked));
};

const less = (value: number | undefined, base: number | undefined): number | undefined =>
  value === undefined || base === undefined ? undefined : value - base;

/** What timers and an agent's run may add to what is waited for. */
const slackMs = 10;

/**
 * A judge that is asked about whatever has come is busy from the first delta to the last and has one question at a time: it is asked
 * once in each time that it takes, and once more at the end. The last words wait for the question under way, and then for their own.
 */
const callsOfChunks = (modelMs: number): number => Math.ceil(modelMs / judgeMs) + 1;

/** What the gate promises about cost and waiting. */
export const gateGoals = ({ cpu }: Figures, waits: Waits): Goal[] => {
  const model = lowestMs(waits, '60 deltas, no judge, interlock');
  const over = (name: WaitName) => less(lowestMs(waits, name), model);
  return [
    {
      says: 'gate, 3 redactors, over the plain loop, per delta',
      measured: less(cpu(gateCase('gate', 'pattern', 3), 8_000), cpu(plainCase, 8_000)),
      atMost: 5,
      unit: 'us',
    },
    {
      says: 'first word, 2 guards of 200 ms beside the model',
      measured: lowestMs(waits, 'first word, 2 guards beside the model, interlock'),
      atMost: 216,
      unit: 'ms',
    },
    {
      says: 'judge of sentences over the model alone',
      measured: over('60 deltas, judge of sentences, interlock'),
      atMost: judgeMs + slackMs,
      unit: 'ms',
    },
    {
      says: 'judge of chunks over the model alone',
      measured: over('60 deltas, judge of chunks, interlock'),
      atMost: 2 * judgeMs + slackMs,
      unit: 'ms',
    },
    {
      says: '60 deltas as they come: judge calls',
      measured: mostAsked(waits, '60 deltas, judge of chunks, interlock'),
      atMost: callsOfChunks(model ?? 0),
      unit: 'calls',
    },
    {
      says: '60 deltas in 6 sentences: judge calls',
      measured: mostAsked(waits, '60 deltas, judge of sentences, interlock'),
      atMost: 6,
      unit: 'calls',
    },
  ];
};
