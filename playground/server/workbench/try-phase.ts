import type { AnyWorkflow } from '@mastra/core/workflows';
import { configure } from 'safe-stable-stringify';
import { InterlockError, isInterlockError, type Phase } from '../../../src/index.js';
import type { PhaseData } from '../../../src/phase/row.js';
import { toWorkflow } from '../../../src/mastra/workflow/to-workflow.js';
import { compileRecording } from '../../../src/mastra/workflow/guards.js';
import { openPayload } from '../../../src/mastra/workflow/step.js';
import type { SequenceNode } from '../../../src/pipeline/graph.js';
import type { Stop, Verdict } from '../../../src/verdict.js';
import type { Tried, TryPhase, TriedStep } from '../../protocol/workbench.js';
import type { KnownPipeline } from '../catalog/known.js';
import { createBench, longestTryMs } from '../../../src/eval/bench-scope.js';
import { createHost } from '../../../src/mastra/workflow/scope.js';
import type { MessageCarrier } from '../../../src/phase/settle-messages.js';
import { phaseRow } from '../../../src/phase/table.js';
import { textsIn } from '../../../src/trace/plain-json.js';
import type { TextAt } from '../../protocol/trace-entry.js';

/** A pipeline, and Mastra's workflow with its id. */
type Tryable = Pick<KnownPipeline, 'graph' | 'workflow'>;

/**
 * Runs one phase of a pipeline; on Mastra's engine the workflow registered under its id. Raises `schema/invalid-payload` and
 * `phase/unknown` for an invalid payload.
 */
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
  await bench.shadows();
  return { ...outcomeOf(verdict, data), durationMs, steps: [], events: bench.events() };
};

const outcomeOf = (
  verdict: Verdict<PhaseData>,
  original: PhaseData,
): Pick<Tried, 'status' | 'tripwire' | 'error' | 'after' | 'payload'> => {
  switch (verdict.kind) {
    case 'pass':
    case 'edit': {
      const made = verdict.kind === 'edit' ? verdict.data : original;
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

/** The used part of a run's result on Mastra's engine; its type depends on the workflow's schemas. */
interface EngineResult {
  readonly status: string;
  readonly result?: PhaseData;
  readonly tripwire?: TriedResult;
  readonly error?: Failure;
  readonly steps: Readonly<Record<string, EngineStep>>;
}

interface EngineStep {
  readonly status: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly tripwire?: TriedResult;
  readonly error?: Failure;
}

interface TriedResult {
  readonly reason: string;
  readonly retry?: boolean;
  readonly metadata?: unknown;
  readonly processorId?: string;
}

interface Failure {
  readonly message: string;
  readonly code?: string;
  readonly path?: string;
  readonly cause?: { readonly message?: string };
}

/** Runs one phase as a workflow on Mastra's engine, which reports its steps, and not its guards. */
const tryOnMastra = async (workflow: AnyWorkflow, payload: object): Promise<Omit<Tried, 'before' | 'events'>> => {
  const startedAt = performance.now();
  const run = await workflow.createRun();
  const inputData = { messageList: null, ...payload }; // its schema wants the key
  const outcome = (await run.start({ inputData })) as unknown as EngineResult; // see EngineResult
  const durationMs = performance.now() - startedAt;
  const steps = Object.entries(outcome.steps).flatMap(([id, step]) => (id === 'input' ? [] : [triedStep(workflow.id, id, step)]));
  return { ...ending(outcome), durationMs, steps };
};

const ending = ({
  status,
  result,
  tripwire,
  error,
}: EngineResult): Pick<Tried, 'status' | 'tripwire' | 'error' | 'after' | 'payload'> => {
  if (tripwire) return { status: 'tripwire', tripwire: { ...tripwire, processorId: tripwire.processorId ?? '' }, after: [] };
  if (status === 'success' && result) return { status: 'success', after: textsOfPayload(result), payload: payloadAsJson(result) };
  return { status: 'failed', error: failure(error), after: [] };
};

const failure = (error: Failure | undefined): NonNullable<Tried['error']> => ({
  message: error?.cause?.message ?? error?.message ?? 'The workflow failed.', // the guard's own message, as on the plan
  ...(error?.code !== undefined && { code: error.code }),
  ...(error?.path !== undefined && { path: error.path }),
});

const triedStep = (pipelineId: string, id: string, { status, startedAt, endedAt, tripwire, error }: EngineStep): TriedStep => {
  const reason = tripwire?.reason ?? error?.message;
  return {
    id,
    path: `${pipelineId}/${id}`,
    status: tripwire ? 'tripwire' : (statuses[status] ?? 'canceled'),
    ...(startedAt !== undefined && endedAt !== undefined && { durationMs: endedAt - startedAt }),
    ...(reason !== undefined && { reason }),
  };
};

const statuses: Readonly<Record<string, TriedStep['status']>> = {
  success: 'success',
  failed: 'failed',
  tripwire: 'tripwire',
  skipped: 'skipped',
};

/** Fields that an engine passes along without judging them. */
const passedAlong = new Set(['messageList', 'processorStates', 'agent', 'steps']);

/** The current payload as JSON; its messages are those of its list. */
const payloadAsJson = (data: PhaseData): unknown => {
  const fields = Object.fromEntries(Object.entries(data).filter(([name]) => !passedAlong.has(name)));
  const { messageList }: MessageCarrier = data;
  const { carries } = phaseRow<Phase>(data.phase);
  if (!messageList || !carries) return asJson(fields);
  const { messages } = createHost();
  return asJson({
    ...fields,
    messages: messages.read(messageList, carries.scope),
    systemMessages: messages.readSystem(messageList),
  });
};

/** Cycles and functions in a payload must not hide the rest. */
const asJson = (value: unknown): unknown => JSON.parse(stringify(value) ?? 'null') as unknown;

const stringify = configure({ deterministic: false });

/** The texts of a payload, with their paths. */
const textsOfPayload = (data: PhaseData): TextAt[] => textsIn(payloadAsJson(data)).filter(({ target }) => target !== 'phase');
