import type { GraphShape } from '../../../protocol/catalog.js';
import type { Tried, TriedStep } from '../../../protocol/workbench.js';
import { statusWords, type Tone } from '../../../fold/facts.js';
import { foldRun } from '../../../fold/fold-run.js';
import type { GuardMark } from '../../../fold/run-view.js';
import { placeMarks } from '../../run/inspect/judged.js';
import type { PlaceMark } from '../graph/shape-nodes.js';
import type { Trying } from './use-try.js';

/** The reports of the plan's guards, as on the page of a run; the number of a mark is the index of its event. */
export const marksOfPlan = ({ events }: Pick<Tried, 'events'>): readonly GuardMark[] =>
  foldRun(events.map((event, seq) => ({ kind: 'event', seq, at: event.at, event }))).lanes.flatMap(({ marks }) => marks);

/** A mark for each place of a graph: on the plan the verdicts of its guards, on Mastra's engine the status of its steps. */
export const marksOfTries = (results: Trying['results'], graph: GraphShape, phase: string): ReadonlyMap<string, PlaceMark> => {
  const steps = results.flatMap(({ tried }) => tried.steps.map(({ path, status }) => [path, markOf(status)] as const));
  const plan = results.find(({ engine }) => engine === 'plan');
  return new Map([...steps, ...(plan ? placeMarks({ phase, marks: marksOfPlan(plan.tried) }, graph, () => 'no verdict') : [])]);
};

/** A step that did not run has no status of a run. */
export const stepTone = (status: TriedStep['status']): Tone => (status === 'skipped' ? 'out' : statusWords[status].tone);

const markOf = (status: TriedStep['status']): PlaceMark => ({ tone: stepTone(status), label: status });
