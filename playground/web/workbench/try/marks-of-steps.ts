import type { TriedStep } from '../../../protocol/workbench.js';
import type { PlaceMark } from '../graph/place-mark.js';
import { stepSignals } from './step-status.js';
import type { Trying } from './use-try.js';

/** What became of each place of a graph; where engines differ, the stricter counts. */
export const marksOfSteps = (results: Trying['results']): ReadonlyMap<string, PlaceMark> => {
  const steps = results.flatMap(({ tried }) => tried.steps);
  return new Map(steps.toSorted((a, b) => rank(a) - rank(b)).map(({ path, status }) => [path, markOf(status)]));
};

const markOf = (status: TriedStep['status']): PlaceMark => ({ tone: stepSignals[status].tone, label: status });

const order: readonly TriedStep['status'][] = ['skipped', 'canceled', 'success', 'failed', 'tripwire'];

const rank = ({ status }: TriedStep): number => order.indexOf(status);
