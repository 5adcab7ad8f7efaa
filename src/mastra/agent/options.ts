import type { AgentConfig, AgentExecutionOptionsBase } from '@mastra/core/agent';
import { InterlockError } from '../../errors.js';
import type { InterlockAgentConfig, InterlockCallOptions } from './config.js';
import { checkCallValues, checkConfigValues } from './option-values.js';

/** What becomes of an option: it is honoured, or refused by name unless its value asks for nothing. Never ignored. */
type Treatment = typeof honoured | Refused;

interface Refused {
  /** Whether the value asks for nothing that is not done anyway. */
  readonly harmless: (value: unknown) => boolean;
  /** Why, where the table of errors does not say enough. */
  readonly detail?: string;
}

const honoured = 'honoured';
const refused: Refused = { harmless: () => false };
const refusedBecause = (detail: string): Refused => ({ ...refused, detail });
const refusedUnless = (harmless: (value: unknown) => boolean, detail?: string): Refused => ({ harmless, detail });
const isFalse = (value: unknown): boolean => value === false;
const anything = (): boolean => true;

/** What hosts hand on with the options of a call: Mastra's server with each request, the AI SDK's chat with its messages. */
type HandedOn = 'registeredTools' | 'taskStore' | 'routePrefix' | 'request' | 'id' | 'messageId';

/** The name of an option of a call. */
export type CallOptionName =
  keyof AgentExecutionOptionsBase<unknown> | keyof InterlockCallOptions | 'structuredOutput' | 'output' | HandedOn;

/** Every option of a call. Mastra's type names them: one that a new version adds does not compile until it has its row. */
const callOptions: Record<CallOptionName, Treatment> = {
  instructions: honoured,
  system: honoured,
  context: honoured,
  memory: honoured,
  runId: honoured,
  requestContext: honoured,
  actor: honoured,
  mcp: honoured,
  maxSteps: honoured,
  stopWhen: honoured,
  providerOptions: honoured,
  modelSettings: honoured,
  onStepFinish: honoured,
  onFinish: honoured,
  onChunk: honoured,
  onError: honoured,
  onAbort: honoured,
  onRunEvent: honoured,
  activeTools: honoured,
  abortSignal: honoured,
  inputProcessors: honoured,
  outputProcessors: honoured,
  errorProcessors: honoured,
  maxProcessorRetries: honoured,
  hold: honoured,
  maxHeldChars: honoured,
  recordEdits: honoured,
  record: honoured,
  persistence: honoured,
  toolsets: honoured,
  clientTools: honoured,
  hooks: honoured,
  toolChoice: honoured,
  toolCallConcurrency: honoured,
  prepareStep: honoured,
  model: honoured,
  experimentalTransform: honoured,
  tracingContext: honoured,
  tracingOptions: honoured,
  serverless: honoured,
  // Mastra derives these from the tracing context, and hands them to every agent it calls.
  tracing: honoured,
  loggerVNext: refusedUnless(anything),
  metrics: refusedUnless(anything),
  // A stream ends where its run suspends; nothing here runs in the background or sends signals.
  hideSignals: refusedUnless(anything),
  closeOnSuspend: refusedUnless(anything),
  disableBackgroundTasks: refusedUnless(anything),
  backgroundTaskPolicy: refusedUnless(anything),
  _skipBgTaskWait: refusedUnless(anything),
  untilIdle: refusedUnless(anything),
  registeredTools: refusedUnless(anything),
  taskStore: refusedUnless(anything),
  routePrefix: refusedUnless(anything),
  request: refusedUnless(anything),
  id: refusedUnless(anything),
  messageId: refusedUnless(anything),
  eagerToolExecution: refusedUnless(isFalse, 'no tool runs before its step was judged.'),
  requireToolApproval: honoured,
  autoResumeSuspendedTools: refusedUnless(isFalse, 'what a person answers is not read off what a model writes.'),
  savePerStep: refusedUnless(isFalse, 'an answer is saved once it was accepted as a whole.'),
  returnScorerData: refusedUnless(isFalse),
  includeRawChunks: refusedUnless(isFalse, 'raw chunks pass no guard.'),
  structuredOutput: honoured,
  output: refusedBecause('its successor is structuredOutput.'),
  scorers: refusedBecause('a guard with shadow: true judges answers beside the run.'),
  isTaskComplete: refusedBecause('a guard of the result judges the answer, and may ask for another.'),
  onIterationComplete: refusedBecause('a guard of the step judges each iteration, and may ask for another.'),
  delegation: refusedBecause('guards of the supervisor see each delegation as the tool call that it is.'),
  versions: refusedBecause('call the agent of the version that is meant.'),
  transform: refusedBecause('guards of the stream and of results say what is shown.'),
};

type ConfigName = keyof AgentConfig | keyof InterlockAgentConfig;

/** Everything that an agent's configuration may hold. */
const configOptions: Record<ConfigName, Treatment> = {
  id: honoured,
  name: honoured,
  description: honoured,
  metadata: honoured,
  instructions: honoured,
  model: honoured,
  maxRetries: honoured,
  tools: honoured,
  hooks: honoured,
  workflows: honoured,
  agents: honoured,
  defaultOptions: honoured,
  defaultGenerateOptions: honoured,
  defaultStreamOptions: honoured,
  defaultGenerateOptionsLegacy: honoured,
  defaultStreamOptionsLegacy: honoured,
  defaultNetworkOptions: honoured,
  mastra: honoured,
  memory: honoured,
  voice: honoured,
  inputProcessors: honoured,
  outputProcessors: honoured,
  errorProcessors: honoured,
  maxProcessorRetries: honoured,
  hold: honoured,
  maxHeldChars: honoured,
  recordEdits: honoured,
  record: honoured,
  persistence: honoured,
  options: honoured,
  rawConfig: honoured,
  requestContextSchema: honoured,
  onRunEvent: honoured,
  durability: honoured,
  effects: honoured,
  acceptChangedCode: honoured,
  durable: refusedUnless(isFalse, 'an engine is given as durability.'),
  scorers: refused,
  skills: refused,
  skillsFormat: refused,
  browser: refused,
  channels: refused,
  workspace: refused,
  signals: refused,
  notifications: refused,
  pubsub: refused,
  goal: refused,
  backgroundTasks: refused,
  editor: refused,
  transform: refused,
};

/** What becomes of each option of a call and of a configuration; the documents are made of it. */
export const optionTreatments: Readonly<Record<'call' | 'config', Readonly<Record<string, Treatment>>>> = {
  call: callOptions,
  config: configOptions,
};

const checkNames = (given: object, table: Record<string, Treatment>): void => {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const treatment = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!treatment) throw new InterlockError('agent/unknown-option', { path: name });
    if (treatment === honoured || treatment.harmless(value)) continue;
    throw new InterlockError('agent/unsupported-option', { path: name, detail: treatment.detail });
  }
};

/** Whether an option of a call is taken because nothing here is changed by it. */
export const changesNothing = (name: string, value: unknown): boolean => {
  const treatment = optionTreatments.call[name];
  return treatment !== undefined && treatment !== honoured && treatment.harmless(value);
};

/**
 * Refuses options of a call that would be ignored. Raises `agent/unsupported-option` for those of Mastra's agent that the loop
 * does not honour, `agent/unknown-option` for anything else, `agent/invalid-option` for values that cannot be used.
 */
export const checkCallOptions = (options: object): void => {
  checkNames(options, callOptions);
  checkCallValues(options as Record<string, unknown>);
};

/** Refuses what an agent's configuration cannot hold; same codes as {@link checkCallOptions}. */
export const checkConfig = (config: object): void => {
  checkNames(config, configOptions);
  checkConfigValues(config as Record<string, unknown>);
};
