import { InterlockError } from '../errors.js';

/** Options of a call that the loop honours. */
const honoured = [
  'instructions',
  'system',
  'context',
  'memory',
  'runId',
  'requestContext',
  'maxSteps',
  'stopWhen',
  'providerOptions',
  'onStepFinish',
  'onFinish',
  'onChunk',
  'onError',
  'onAbort',
  'activeTools',
  'abortSignal',
  'inputProcessors',
  'outputProcessors',
  'errorProcessors',
  'maxProcessorRetries',
  'toolsets',
  'clientTools',
  'hooks',
  'toolChoice',
  'modelSettings',
  'prepareStep',
  'toolCallConcurrency',
  'tracingContext',
  'model',
  'onRunEvent',
] as const;

/** Options of Mastra's agent that the loop does not honour yet: refused by name, never ignored. */
const refused = [
  'structuredOutput',
  'requireToolApproval',
  'autoResumeSuspendedTools',
  'savePerStep',
  'scorers',
  'returnScorerData',
  'isTaskComplete',
  'onIterationComplete',
  'delegation',
  'untilIdle',
  'closeOnSuspend',
  'hideSignals',
  'mcp',
  'actor',
  'versions',
  'serverless',
  'tracingOptions',
  'includeRawChunks',
  'experimentalTransform',
  'transform',
  'disableBackgroundTasks',
  'backgroundTaskPolicy',
  'output',
] as const;

const honouredNames = new Set<string>(honoured);
const refusedNames = new Set<string>(refused);

/** Values under which an option of Mastra's asks for nothing that the loop does not do anyway. */
const harmless: Record<string, readonly unknown[]> = {
  eagerToolExecution: [false],
  requireToolApproval: [false],
  autoResumeSuspendedTools: [false],
  savePerStep: [false],
  returnScorerData: [false],
  untilIdle: [false],
  closeOnSuspend: [false, true],
  hideSignals: [false],
  includeRawChunks: [false],
  disableBackgroundTasks: [true],
};

/**
 * Refuses options that would be ignored. Raises `agent/unsupported-option` for those of Mastra's agent that the loop does not
 * honour, `agent/unknown-option` for anything else.
 */
export const checkCallOptions = (options: object): void => {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || honouredNames.has(name) || harmless[name]?.includes(value)) continue;
    if (name === 'eagerToolExecution')
      throw new InterlockError('agent/unsupported-option', { path: name, detail: 'no tool runs before its step was judged.' });
    if (refusedNames.has(name)) throw new InterlockError('agent/unsupported-option', { path: name });
    throw new InterlockError('agent/unknown-option', { path: name });
  }
  checkCount(options, 'maxSteps', 1);
  checkCount(options, 'maxProcessorRetries', 0);
};

const checkCount = (options: object, name: string, least: number): void => {
  const value = (options as Record<string, unknown>)[name];
  if (value === undefined || (Number.isInteger(value) && (value as number) >= least)) return;
  throw new InterlockError('agent/invalid-option', { path: name, detail: `it is ${String(value)}, expected a whole number from ${least}.` });
};

/** What an agent's configuration may hold. */
const configNames = new Set([
  'id',
  'name',
  'description',
  'metadata',
  'instructions',
  'model',
  'maxRetries',
  'tools',
  'hooks',
  'workflows',
  'agents',
  'defaultOptions',
  'defaultGenerateOptions',
  'defaultStreamOptions',
  'defaultGenerateOptionsLegacy',
  'defaultStreamOptionsLegacy',
  'defaultNetworkOptions',
  'mastra',
  'pubsub',
  'memory',
  'voice',
  'inputProcessors',
  'outputProcessors',
  'errorProcessors',
  'maxProcessorRetries',
  'options',
  'rawConfig',
  'requestContextSchema',
  'onRunEvent',
]);

const refusedConfig = new Set([
  'durable',
  'scorers',
  'skills',
  'skillsFormat',
  'browser',
  'channels',
  'workspace',
  'signals',
  'goal',
  'backgroundTasks',
  'editor',
  'transform',
  'toolPayloadProjection',
]);

/** Refuses what an agent's configuration cannot hold; same codes as {@link checkCallOptions}. */
export const checkConfig = (config: object): void => {
  for (const [name, value] of Object.entries(config)) {
    if (value === undefined || configNames.has(name)) continue;
    throw new InterlockError(refusedConfig.has(name) ? 'agent/unsupported-option' : 'agent/unknown-option', { path: name });
  }
  checkCount(config, 'maxProcessorRetries', 0);
};
