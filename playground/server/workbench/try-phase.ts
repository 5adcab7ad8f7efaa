import { InterlockError, isInterlockError, type Phase, type PhaseData } from '../../../src/index.js';
import { toWorkflow } from '../../../src/mastra/workflow/to-workflow.js';
import { compileRecording } from '../../../src/mastra/workflow/guards.js';
import { openPayload } from '../../../src/mastra/workflow/step.js';
import type { SequenceNode } from '../../../src/pipeline/graph.js';
import type { Stop, Verdict } from '../../../src/verdict.js';
import type { Tried, TryPhase } from '../../protocol/workbench.js';
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
  const verdict = await compileRecording(graph, true).run<Phase>(data.phase, data, bench.scope);
  const durationMs = performance.now() - startedAt;
  return { ...outcomeOf(verdict, data), durationMs, steps: [], events: bench.events() };
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
