import type { AnyWorkflow } from '@mastra/core/workflows';
import type { PhaseData } from '../../../src/index.js';
import type { Tried, TriedStep } from '../../protocol/workbench.js';
import { payloadAsJson, textsOfPayload } from './payload-json.js';

/** What Mastra's engine says of a run, as far as it is read; its type depends on the workflow's schemas. */
interface EngineResult {
  readonly status: string;
  readonly result?: PhaseData;
  readonly tripwire?: Told;
  readonly error?: Failure;
  readonly steps: Readonly<Record<string, EngineStep>>;
}

interface EngineStep {
  readonly status: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly tripwire?: Told;
  readonly error?: Failure;
}

interface Told {
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

/** Runs one phase as a workflow on Mastra's engine, which tells of its steps, not of guards. */
export const tryOnMastra = async (workflow: AnyWorkflow, payload: object): Promise<Omit<Tried, 'before' | 'events'>> => {
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
  message: error?.cause?.message ?? error?.message ?? 'The workflow failed.', // what the guard itself said, as on the plan
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
