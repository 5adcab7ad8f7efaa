import type { Processor } from '@mastra/core/processors';
import type { Step, WorkflowConfig, WorkflowOptions } from '@mastra/core/workflows';
import { InterlockError } from '../../errors.js';

/**
 * The treatment of a field of Mastra's in a pipeline: it has its effect, it is rejected by name, or nothing there depends on it. The
 * compiler rejects an unknown or a missing field, so that a new one of Mastra's needs a decision.
 */
type Support = 'carried' | 'rejected' | 'harmless';

const ofStep: Record<keyof Step, Support> = {
  id: 'carried',
  description: 'harmless',
  inputSchema: 'carried',
  outputSchema: 'harmless', // Mastra's engine checks no output
  resumeSchema: 'rejected',
  suspendSchema: 'rejected',
  stateSchema: 'carried',
  requestContextSchema: 'carried',
  execute: 'carried',
  scorers: 'rejected',
  retries: 'carried',
  component: 'carried',
  metadata: 'harmless',
};

const ofWorkflow: Record<keyof WorkflowConfig<string, unknown, unknown, unknown, Step[]>, Support> = {
  mastra: 'harmless',
  id: 'carried',
  description: 'harmless',
  metadata: 'harmless',
  inputSchema: 'carried',
  outputSchema: 'harmless',
  stateSchema: 'carried', // of its first step: see `startsEmpty`
  requestContextSchema: 'rejected',
  executionEngine: 'harmless', // a run of the workflow alone keeps it
  steps: 'harmless',
  retryConfig: 'rejected',
  options: 'carried', // see the next table
  type: 'harmless',
  schedule: 'rejected',
};

const ofOptions: Record<keyof WorkflowOptions, Support> = {
  tracingPolicy: 'carried',
  validateInputs: 'carried',
  emitStepEvents: 'carried',
  sharePubsub: 'carried',
  autoRestartActiveRuns: 'carried',
  shouldPersistSnapshot: 'carried', // see `optionsOf`
  evaluatePersistencePredicateBeforeDurableOperation: 'carried',
  allowUnclaimedResumes: 'carried',
  pruneSnapshot: 'carried',
  onStart: 'rejected',
  onFinish: 'rejected',
  onError: 'rejected',
};

const ofProcessor: Record<keyof Processor, Support> = {
  id: 'carried',
  name: 'carried',
  description: 'carried',
  providesSkillDiscovery: 'carried',
  spanType: 'carried',
  spanName: 'carried',
  spanAttributes: 'carried',
  processorIndex: 'carried',
  processDataParts: 'carried',
  onViolation: 'carried',
  processInput: 'carried',
  processInputStep: 'carried',
  processLLMRequest: 'carried',
  processAPIError: 'carried',
  processOutputStream: 'carried',
  processLLMResponse: 'carried',
  processOutputStep: 'carried',
  processToolResult: 'carried',
  processOutputResult: 'carried',
  stateId: 'carried',
  computeStateSignal: 'carried',
  __registerMastra: 'carried',
};

const tables = { ofStep, ofWorkflow, ofOptions, ofProcessor };

/** The error for a part of a workflow that a pipeline does not support. */
export const unsupported = (path: string, detail: string): InterlockError =>
  new InterlockError('pipeline/unsupported-step', { path, detail });

/** Rejects fields that a pipeline would silently ignore. Raises `pipeline/unsupported-step`. */
export const rejectUnsupported = (table: keyof typeof tables, value: object, path: string): void => {
  const rejected = Object.entries(tables[table]).find(([name, support]) => support === 'rejected' && Reflect.get(value, name));
  if (rejected) throw unsupported(path, `it has \`${rejected[0]}\`.`);
};
