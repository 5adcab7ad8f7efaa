import type { MessageList } from '@mastra/core/agent/message-list';
import type { AnyWorkflow } from '@mastra/core/workflows';

import { compile, isInterlockError, type Phase } from '../../src/index.js';
import type { Compilable } from '../../src/mastra/graph/to-graph.js';
import type { PhaseData } from '../../src/phase/row.js';
import { createHost, scopeOfStep } from '../../src/mastra/workflow/scope.js';

/** The outcome of a payload, as comparable data. */
export interface Outcome {
  readonly kind: 'success' | 'trip' | 'retry' | 'failed' | 'refused';
  readonly reason?: string;
  readonly metadata?: unknown;
  readonly processorId?: string;
  readonly code?: string;
  /** The path of the failure. */
  readonly path?: string;
  /** All messages with their ids, sources and times, and system messages. */
  readonly list?: unknown;
  readonly fields?: Readonly<Record<string, unknown>>;
}

const host = createHost();

/** Fields that belong to the host or follow from the list. */
const notCompared = new Set(['messages', 'messageList', 'systemMessages', 'processorStates', 'state', 'agent', 'abortSignal']);

const successOf = (data: PhaseData): Outcome => {
  const { messageList } = data as { messageList?: MessageList };
  const fields = Object.entries(data).filter(([name, value]) => !notCompared.has(name) && value !== undefined);
  return {
    kind: 'success',
    list: messageList && structuredClone(host.messages.snapshot(messageList)),
    fields: Object.fromEntries(fields),
  };
};

/** Runs a pipeline as the compiled plan. */
export const onPlan = async <P extends Phase>(source: Compilable, data: PhaseData<P>): Promise<Outcome> => {
  const verdict = await compile(source).run<P>(data.phase, data, scopeOfStep({ inputData: data }));
  switch (verdict.kind) {
    case 'pass':
      return successOf(data);
    case 'edit':
      return successOf(verdict.data);
    case 'trip':
    case 'retry': {
      const { kind, reason, metadata, processorId } = verdict;
      return { kind, reason, metadata, processorId };
    }
    case 'unavailable': {
      const { error, path, phase } = verdict;
      if (isInterlockError(error)) return { kind: 'failed', code: error.code, path: error.path ?? '' };
      return { kind: 'failed', code: 'guard/unavailable', path: `${phase} ${path}` };
    }
    default:
      return verdict satisfies never;
  }
};

interface RunResult {
  readonly status: string;
  readonly result?: PhaseData;
  readonly tripwire?: { reason: string; retry?: boolean; metadata?: unknown; processorId: string };
  readonly error?: { code?: string; path?: string; message: string };
}

/** Runs a committed pipeline on Mastra's own engine. */
export const onEngine = async (workflow: AnyWorkflow, inputData: PhaseData): Promise<Outcome> => {
  const run = await workflow.createRun();
  const { status, result, tripwire, error } = (await run.start({ inputData })) as RunResult;
  if (status === 'success' && result) return successOf(result);
  if (tripwire) {
    const { reason, metadata, processorId, retry } = tripwire;
    return { kind: retry ? 'retry' : 'trip', reason, metadata, processorId };
  }
  return { kind: 'failed', code: error?.code ?? `(${status}: ${error?.message})`, path: error?.path ?? '' };
};
