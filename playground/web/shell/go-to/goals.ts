import type { Catalog } from '../../../protocol/catalog.js';
import type { RunSummary } from '../../../protocol/runs.js';
import { guardsIn } from '../../../protocol/shapes.js';
import type { RunView } from '../../../fold/run-view.js';
import { pipelineHref, runHref } from '../hrefs.js';

/** A target of the search. */
export interface Goal {
  readonly kind: 'page' | 'agent' | 'pipeline' | 'guard' | 'run' | 'state' | 'step' | 'verdict';
  readonly name: string;
  readonly note?: string | undefined;
  readonly href: string;
}

const pages = {
  Chat: '/',
  Runs: '/runs',
  'Guard statistics': '/guards',
  'Replay a guard': '/guard-replay',
  Pipelines: '/pipelines',
  'Loop statechart': '/machine',
  'Chunk lab': '/lab',
} as const;

/** The targets that do not depend on the open page. */
export const goalsOfCatalog = ({ agents, pipelines }: Catalog): Goal[] => [
  ...Object.entries(pages).map(([name, href]): Goal => ({ kind: 'page', name, href })),
  ...agents.map(({ id, name }): Goal => ({ kind: 'agent', name, note: 'chat', href: `/?agent=${encodeURIComponent(id)}` })),
  ...pipelines.map(({ id }): Goal => ({ kind: 'pipeline', name: id, href: pipelineHref(id) })),
  ...pipelines.flatMap(({ id, graph }) =>
    guardsIn(graph).map((guard): Goal => ({ kind: 'guard', name: guard.id, note: id, href: pipelineHref(id, guard.path) })),
  ),
];

/** The states, steps and verdicts of the open run; the latest moment of each. */
export const goalsOfRun = (runId: string, { visits, lanes }: RunView): Goal[] => {
  const states = new Map(visits.map(({ state, seq }) => [state, seq]));
  const marks = new Map(lanes.flatMap((lane) => lane.marks.map((mark) => [`${mark.phase} ${mark.path}`, mark] as const)));
  return [
    ...[...states].map(([name, seq]): Goal => ({ kind: 'state', name, note: 'this run', href: runHref(runId, seq) })),
    ...lanes.map(({ stepNumber, attempt, startSeq }): Goal => ({
      kind: 'step',
      name: `${stepNumber + 1}`,
      note: `attempt ${attempt}`,
      href: runHref(runId, startSeq),
    })),
    ...[...marks.values()].flatMap((mark): Goal[] => {
      if (!('processorId' in mark)) return [];
      const place = new URLSearchParams({ phase: mark.phase, guard: mark.path }).toString();
      return [{ kind: 'verdict', name: mark.processorId, note: mark.phase, href: `${runHref(runId, mark.seq)}&${place}` }];
    }),
  ];
};

export const goalOfRun = ({ runId, userText, agentId, status }: RunSummary): Goal => ({
  kind: 'run',
  name: userText,
  note: `${agentId}, ${status}`,
  href: runHref(runId),
});

/** The maximum number of shown targets. */
const mostGoals = 40;

/** The targets that contain every word; those whose name starts with the first word come first. */
export const findGoals = (goals: readonly Goal[], text: string): Goal[] => {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = goals.filter(({ kind, name, note = '' }) => {
    const whole = `${kind} ${name} ${note}`.toLowerCase();
    return words.every((word) => whole.includes(word));
  });
  const rank = ({ name }: Goal): number => (words[0] !== undefined && name.toLowerCase().startsWith(words[0]) ? 0 : 1);
  return found.toSorted((a, b) => rank(a) - rank(b)).slice(0, mostGoals);
};
