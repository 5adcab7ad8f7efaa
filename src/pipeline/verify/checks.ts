import type { Processor } from '@mastra/core/processors';
import { InterlockError, type ErrorCode } from '../../errors.js';
import { blockChecks } from './block-checks.js';
import {
  type Check,
  type CounterExample,
  locationOf,
  type Subject,
  type StateCosts,
  guardsFrom,
  guardsIn,
  placesIn,
  hookNamesOf,
  isIdle,
  locationsFrom,
  type GuardLocation,
  type GraphLocation,
  counts,
  isGuard,
  rowsOf,
  guardsWhere,
} from './check.js';
import { judgingState, overlapCost, overlappingRows, policyChecks } from './policy-checks.js';
import type { PhaseRow } from '../../phase/row.js';
import { hasAnyHook } from '../../phase/table.js';
import type { SequenceNode } from '../graph.js';

const hasId = ({ node }: GraphLocation): boolean => !('id' in node) || (typeof node.id === 'string' && node.id !== '');

const holdsNodes = ({ node: { kind } }: GraphLocation): boolean =>
  kind === 'sequence' || kind === 'parallel' || kind === 'branch';

const costsOf = (subject: Subject): StateCosts => {
  const costs = new Map<string, number>();
  const rows = new Set(guardsIn(subject).filter(counts).flatMap(rowsOf));
  for (const row of rows) {
    const ms = subject.roots.map((root) => costOf(root, row)).reduce((sum, one) => sum + one, 0);
    costs.set(row.loopState, (costs.get(row.loopState) ?? 0) + ms);
  }
  const cost = overlapCost(subject, deadlineOf);
  return cost > 0 ? costs.set(judgingState, cost) : costs;
};

/** The maximum time of a part in one phase: in parallel the slowest counts, else the sum. */
const costOf = (place: GraphLocation, row: PhaseRow): number => {
  if (isGuard(place)) return counts(place) && waitsIn(place, row) ? deadlineOf(place) : 0;
  const costs = place.children.map((child) => costOf(child, row));
  const { node } = place;
  if (node.kind !== 'parallel' && node.kind !== 'branch') return costs.reduce((sum, one) => sum + one, 0);
  const slowest = Math.max(0, ...costs);
  // A guard with a stale verdict judges again after its siblings' edits are known.
  return node.staleVerdicts === 'rerun' && costs.length > 1 ? 2 * slowest : slowest;
};

/** Whether the run waits for a guard in a phase. It does not wait there for a guard that overlaps with the model. */
const waitsIn = (guard: GuardLocation, row: PhaseRow): boolean =>
  rowsOf(guard).includes(row) && !overlappingRows(guard).includes(row);

const deadlineOf = ({ node: { policy } }: GuardLocation): number => policy?.deadlineMs ?? Infinity;

/** The entries of an agent's array: each entry, or the one pipeline in its place. */
const entriesOf = (root: GraphLocation): readonly GraphLocation[] => (root.position.isArray ? root.children : [root]);

/** Whether no guard at a location and inside it runs in its array. A function's behavior is unknown until it runs. */
const isIdleEntry = (entry: GraphLocation): boolean => {
  const guards = guardsFrom(entry);
  return guards.length > 0 && guards.every(isIdle) && locationsFrom(entry).every(({ node }) => node.kind !== 'function');
};

const idleEntriesOf = ({ roots }: Subject): GraphLocation[] => roots.flatMap(entriesOf).filter(isIdleEntry);

const detailOf = (guards: readonly GuardLocation[]): string => {
  const [guard] = guards;
  return guard ? `${guard.position.lane}Processors never call ${guards.map(hookNamesOf).join(', ')}` : '';
};

/** All checks of `verify`, by code; the table of errors has the remedy for each. */
export const checks = {
  /** A pipeline or processor without an id: its verdicts and state could not be distinguished from others'. */
  'pipeline/missing-id': {
    severity: 'error',
    find: (subject) =>
      placesIn(subject)
        .filter((place) => !hasId(place))
        .map(({ within }) => ({ path: within })),
  },
  /** An empty pipeline, block or branch. */
  'pipeline/empty': {
    severity: 'error',
    find: (subject) =>
      placesIn(subject)
        .filter((place) => holdsNodes(place) && place.children.every(({ node }) => node.kind === 'map'))
        .map(({ path, children }) => ({ path, ...(children.length > 0 && { detail: 'a map alone does not run.' }) })),
  },
  /**
   * Two processors with the same id share their state, and their verdicts cannot be distinguished. In two arrays they are one
   * processor.
   */
  'pipeline/duplicate-id': {
    severity: 'error',
    find: ({ roots }) =>
      roots.flatMap((root) => {
        const seen = new Set<string>();
        const isSecond = ({ node: { id } }: GuardLocation) => seen.has(id) || !seen.add(id);
        const second = guardsFrom(root).filter((guard) => hasId(guard) && isSecond(guard));
        return second.map(({ node, path }) => ({ path, detail: `"${node.id}"` }));
      }),
  },
  /** A processor that would never be called. */
  'pipeline/no-hook': {
    severity: 'error',
    find: guardsWhere((guard) => hasId(guard) && !hasAnyHook(guard.node.processor)),
  },
  /** A guard in an array that never calls it. */
  'pipeline/wrong-array': {
    severity: 'error',
    find: (subject) => idleEntriesOf(subject).map((entry) => ({ path: entry.path, detail: detailOf(guardsFrom(entry)) })),
  },
  /** A guard in a pipeline that has no phase in any of the pipeline's arrays. */
  'pipeline/idle-guard': {
    severity: 'warning',
    find: (subject) => {
      if (subject.isPartial) return []; // it may run in an unknown array
      const guards = guardsIn(subject);
      const busy = new Set(guards.filter((guard) => !isIdle(guard)).map(({ node }) => node.id));
      const idle = new Set(idleEntriesOf(subject).flatMap(guardsFrom));
      return guards
        .filter((guard) => isIdle(guard) && !busy.has(guard.node.id) && !idle.has(guard))
        .map((guard) => ({ path: guard.path, detail: detailOf([guard]) }));
    },
  },
  ...blockChecks,
  /** Guards that may together exceed the latency budget. A guard without a deadline may take any time. */
  'pipeline/over-budget': {
    severity: 'error',
    find: (subject) => {
      const { id, latency } = subject;
      if (!latency) return [];
      const { ms, moments } = latency.longestRun(costsOf(subject));
      if (ms <= latency.budgetMs) return [];
      const open = guardsIn(subject).filter((guard) => counts(guard) && deadlineOf(guard) === Infinity);
      const names = open.map(({ node }) => `"${node.id}"`).join(', ');
      const detail = ms === Infinity ? `no deadlineMs on ${names}` : `up to ${ms} ms, the budget is ${latency.budgetMs} ms`;
      return [{ path: id, detail, shows: moments }];
    },
  },
  ...policyChecks,
} as const satisfies Partial<Record<ErrorCode, Check>>;

/** The code of a finding of `verify`. */
export type FindingCode = keyof typeof checks;

/** A finding of `verify`. */
export interface Finding {
  /** The code of the defect, a key of the table of errors. */
  readonly code: FindingCode;
  readonly severity: Check['severity'];
  /** The path of the place, as in run events. */
  readonly path: string;
  /** The defect and its remedy. */
  readonly message: string;
  /** A run that shows the defect, if it concerns the course of a run. */
  readonly counterExample?: CounterExample;
}

/** The defects of a subject, check by check. */
export const findDefects = (subject: Subject, table: Partial<Record<FindingCode, Check>> = checks) =>
  (Object.keys(table) as FindingCode[]).flatMap((code) => {
    const check = table[code];
    return check ? check.find(subject).map((defect) => ({ ...defect, code, severity: check.severity })) : [];
  });

/** A finding without its counter-example. */
export type Defect = ReturnType<typeof findDefects>[number];

/** Errors, which are thrown; all other defects are only reported. */
const errorChecks = Object.fromEntries(Object.entries(checks).filter(([, { severity }]) => severity === 'error'));

/** Rejects an invalid subject. Raises the code of the first error that `verify` finds, with its path. */
export const throwDefects = (subject: Subject): void => {
  const [defect] = findDefects(subject, errorChecks);
  if (defect) throw new InterlockError(defect.code, { path: defect.path, detail: defect.detail });
};

/** Rejects a graph that could not work anywhere; otherwise returns it. Raises the codes of {@link throwDefects}. */
export const checkGraph = (graph: SequenceNode): SequenceNode => {
  throwDefects({ id: graph.id, roots: [locationOf(graph)] });
  return graph;
};

/** Rejects a processor without an id or without any hook; `where` is the path to its parent. */
export const checkProcessor = (processor: Processor, path: string): void =>
  void checkGraph({ kind: 'sequence', id: path, nodes: [{ kind: 'guard', id: processor.id, processor }] });
