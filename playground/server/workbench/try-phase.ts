import { InterlockError, isInterlockError, type Phase, type PhaseData, type RunEvent } from '../../../src/index.js';
import { toWorkflow } from '../../../src/mastra/workflow/to-workflow.js';
import { openPayload } from '../../../src/mastra/workflow/step.js';
import { compileGraph } from '../../../src/pipeline/compile.js';
import type { SequenceNode } from '../../../src/pipeline/graph.js';
import type { Stop, Verdict } from '../../../src/verdict.js';
import { besideTrips, guardsIn } from '../../protocol/shapes.js';
import type { Tried, TriedStep, TryPhase } from '../../protocol/workbench.js';
import { shapeOf } from '../catalog/graph-shape.js';
import type { KnownPipeline } from '../catalog/known.js';
import { createBench, longestTryMs } from './bench-scope.js';
import { payloadAsJson, textsOfPayload } from './payload-json.js';
import { tryOnMastra } from './try-on-mastra.js';

/** A pipeline, and what Mastra runs under its id. */
type Tryable = Pick<KnownPipeline, 'graph' | 'workflow'>;

/** Runs one phase of a pipeline: on Mastra's engine what is registered under its id. Raises `schema/invalid-payload` and `phase/unknown` for a payload that does not fit. */
export const tryPhase = async ({ graph, workflow }: Tryable, { phase, payload, engine }: TryPhase): Promise<Tried> => {
  const given = { ...asObject(payload), phase };
  const data = openPayload(given);
  const before = textsOfPayload(data);
  if (engine === 'mastra') return { before, ...(await tryOnMastra(workflow ?? toWorkflow(graph), given)), events: [] };
  return { before, ...(await tryOnPlan(graph, data)) };
};

const asObject = (payload: unknown): object => {
  if (typeof payload === 'object' && payload !== null && !Array.isArray(payload)) return payload;
  throw new InterlockError('schema/invalid-payload', { path: 'payload', detail: 'expected an object' });
};

const tryOnPlan = async (graph: SequenceNode, data: PhaseData): Promise<Omit<Tried, 'before'>> => {
  const bench = createBench(AbortSignal.timeout(longestTryMs));
  const startedAt = performance.now();
  const verdict = await compileGraph(graph).run<Phase>(data.phase, data, bench.scope);
  const durationMs = performance.now() - startedAt;
  const events = bench.events();
  return { ...outcomeOf(verdict, data), durationMs, steps: stepsOf(graph, data.phase, events), events };
};

const outcomeOf = (
  verdict: Verdict<PhaseData>,
  given: PhaseData,
): Pick<Tried, 'status' | 'tripwire' | 'error' | 'after' | 'payload'> => {
  switch (verdict.kind) {
    case 'pass':
    case 'edit': {
      const made = verdict.kind === 'edit' ? verdict.data : given;
      return { status: 'success', after: textsOfPayload(made), payload: payloadAsJson(made) };
    }
    case 'trip':
    case 'retry':
      return { status: 'tripwire', tripwire: tripwireOf(verdict), after: [] };
    case 'unavailable':
      return { status: 'failed', error: errorOf(verdict), after: [] };
    default:
      return verdict satisfies never;
  }
};

const tripwireOf = ({
  kind,
  reason,
  metadata,
  processorId,
  phase,
  path,
}: Exclude<Stop, { kind: 'unavailable' }>): Tried['tripwire'] => ({
  reason,
  retry: kind === 'retry',
  processorId,
  phase,
  path,
  ...(metadata !== undefined && { metadata }),
});

const errorOf = ({ error, path }: Extract<Stop, { kind: 'unavailable' }>): NonNullable<Tried['error']> => ({
  message: error instanceof Error ? error.message : String(error),
  path,
  ...(isInterlockError(error) && { code: error.code }),
});

/** The guards of a phase in the order in which they are written, each with what it did; those that were not asked were skipped. */
const stepsOf = (graph: SequenceNode, phase: Phase, events: readonly RunEvent[]): TriedStep[] => {
  const told = events.filter((event) => event.type === 'guard' || event.type === 'guard-bypass' || event.type === 'guard-shadow');
  const shape = shapeOf(graph, graph.id);
  const tripped = told.filter((event) => event.type === 'guard' && event.verdict === 'trip').map(({ path }) => path);
  const canceled = besideTrips(shape, new Set(tripped));
  return guardsIn(shape)
    .filter(({ phases }) => phases.includes(phase))
    .map(({ id, path }): TriedStep => {
      const own = told.findLast((event) => event.path === path);
      if (!own) return { id, path, status: canceled.has(path) ? 'canceled' : 'skipped' };
      if (own.type !== 'guard')
        return { id, path, status: 'success', ...('durationMs' in own && { durationMs: own.durationMs }), reason: own.reason };
      const { verdict, durationMs, reason } = own;
      return { id, path, status: statuses[verdict], durationMs, ...(reason !== undefined && { reason }) };
    });
};

const statuses = { pass: 'success', edit: 'success', trip: 'tripwire', retry: 'tripwire', unavailable: 'failed' } as const;
