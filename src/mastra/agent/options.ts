import type { AgentConfig, AgentExecutionOptionsBase } from '@mastra/core/agent';
import { InterlockError } from '../../errors.js';
import type { InterlockAgentConfig, InterlockCallOptions } from './config.js';
import {
  aBoolean,
  aFunction,
  aName,
  anObject,
  aText,
  either,
  listOf,
  oneOf,
  orGiven,
  recordOf,
  wholeNumberFrom,
  type OptionKind,
} from '../../option-kind.js';
import * as kinds from './option-kinds.js';
import { checkSettings } from './option-values.js';

/** What becomes of an option: its value is of a kind and is honoured, or it is refused by name unless it asks for nothing. Never ignored. */
type Treatment = OptionKind | Refused;

interface Refused {
  /** Whether the value asks for nothing that is not done anyway. */
  readonly harmless: (value: unknown) => boolean;
  /** Why, where the table of errors does not say enough. */
  readonly detail?: string;
}

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
  instructions: kinds.instructions,
  system: kinds.instructions,
  context: kinds.messages,
  memory: anObject,
  runId: aName,
  requestContext: kinds.requestContext,
  actor: anObject,
  mcp: anObject,
  maxSteps: wholeNumberFrom(1),
  stopWhen: kinds.functions,
  providerOptions: recordOf(anObject),
  modelSettings: anObject,
  onStepFinish: aFunction,
  onFinish: aFunction,
  onChunk: aFunction,
  onError: aFunction,
  onAbort: aFunction,
  onRunEvent: aFunction,
  activeTools: listOf(aText),
  abortSignal: kinds.abortSignal,
  inputProcessors: kinds.guards,
  outputProcessors: kinds.guards,
  errorProcessors: kinds.guards,
  maxProcessorRetries: wholeNumberFrom(0),
  hold: kinds.hold,
  maxHeldChars: wholeNumberFrom(1),
  recordEdits: aBoolean,
  record: aFunction,
  persistence: kinds.persistence,
  toolsets: recordOf(kinds.tools),
  clientTools: kinds.tools,
  hooks: kinds.callbacks,
  toolChoice: kinds.toolChoice,
  toolCallConcurrency: kinds.concurrency,
  prepareStep: aFunction,
  model: kinds.model,
  experimentalTransform: kinds.functions,
  tracingContext: anObject,
  tracingOptions: anObject,
  serverless: anObject,
  // Mastra derives these from the tracing context, and hands them to every agent it calls.
  tracing: anObject,
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
  requireToolApproval: orGiven(aBoolean),
  autoResumeSuspendedTools: refusedUnless(isFalse, 'what a person answers is not read off what a model writes.'),
  savePerStep: refusedUnless(isFalse, 'an answer is saved once it was accepted as a whole.'),
  returnScorerData: aBoolean,
  includeRawChunks: refusedUnless(isFalse, 'raw chunks pass no guard.'),
  structuredOutput: anObject,
  output: refusedBecause('its successor is structuredOutput.'),
  scorers: recordOf(anObject),
  isTaskComplete: refusedBecause('a guard of the result judges the answer, and may ask for another.'),
  onIterationComplete: refusedBecause('a guard of the step judges each iteration, and may ask for another.'),
  delegation: anObject,
  versions: refusedBecause('call the agent of the version that is meant.'),
  transform: refusedBecause('guards of the stream and of results say what is shown.'),
};

type ConfigName = keyof AgentConfig | keyof InterlockAgentConfig;

/** Everything that an agent's configuration may hold. */
const configOptions: Record<ConfigName, Treatment> = {
  id: aName,
  name: aName,
  description: aText,
  metadata: orGiven(anObject),
  instructions: orGiven(kinds.instructions),
  model: kinds.model,
  maxRetries: wholeNumberFrom(0),
  tools: orGiven(kinds.tools),
  hooks: kinds.callbacks,
  workflows: orGiven(kinds.workflows),
  agents: orGiven(kinds.agents),
  defaultOptions: orGiven(anObject),
  defaultGenerateOptions: orGiven(anObject),
  defaultStreamOptions: orGiven(anObject),
  defaultGenerateOptionsLegacy: orGiven(anObject),
  defaultStreamOptionsLegacy: orGiven(anObject),
  defaultNetworkOptions: orGiven(anObject),
  mastra: kinds.mastra,
  memory: orGiven(kinds.memory),
  voice: orGiven(kinds.voice),
  inputProcessors: kinds.guards,
  outputProcessors: kinds.guards,
  errorProcessors: kinds.guards,
  maxProcessorRetries: wholeNumberFrom(0),
  hold: kinds.hold,
  maxHeldChars: wholeNumberFrom(1),
  recordEdits: aBoolean,
  record: aFunction,
  persistence: kinds.persistence,
  options: anObject,
  rawConfig: anObject,
  requestContextSchema: kinds.schema,
  onRunEvent: aFunction,
  durability: kinds.engine,
  effects: anObject,
  acceptChangedCode: aFunction,
  durable: refusedUnless(isFalse, 'an engine is given as durability.'),
  scorers: orGiven(recordOf(anObject)),
  skills: orGiven(listOf(either(aText, anObject))),
  skillsFormat: oneOf('xml', 'json', 'markdown'),
  browser: anObject,
  channels: refused,
  workspace: orGiven(anObject),
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

/** Whether an option is honoured, rather than refused or taken without effect. */
export const isHonoured = (treatment: Treatment): treatment is OptionKind => 'faultOf' in treatment;

/** @param within The option that holds them, with a dot. */
const checkOptions = (given: object, table: Readonly<Record<string, Treatment>>, within = ''): void => {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const path = `${within}${name}`;
    const treatment = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!treatment) throw new InterlockError('agent/unknown-option', { path });
    if (isHonoured(treatment)) {
      const fault = treatment.faultOf(value, path);
      if (fault) throw new InterlockError('agent/invalid-option', fault);
    } else if (!treatment.harmless(value)) {
      throw new InterlockError('agent/unsupported-option', { path, detail: treatment.detail });
    }
  }
};

/** Whether an option of a call is taken because nothing here is changed by it. */
export const changesNothing = (name: string, value: unknown): boolean => {
  const treatment = optionTreatments.call[name];
  return treatment !== undefined && !isHonoured(treatment) && treatment.harmless(value);
};

/**
 * Refuses options of a call that would be ignored. Raises `agent/unsupported-option` for those of Mastra's agent that the loop
 * does not honour, `agent/unknown-option` for anything else, `agent/invalid-option` for values that cannot be used.
 */
export const checkCallOptions = (options: object): void => {
  checkOptions(options, callOptions);
  checkSettings(options);
};

/** Defaults of calls, as far as they are data; those that a function gives are checked with each call. */
const defaultsOfCalls = ['defaultOptions', 'defaultGenerateOptions', 'defaultStreamOptions'] as const satisfies ConfigName[];

/** Refuses what an agent's configuration cannot hold; same codes as {@link checkCallOptions}. */
export const checkConfig = (config: Partial<Record<ConfigName, unknown>>): void => {
  checkOptions(config, configOptions);
  for (const name of defaultsOfCalls) {
    if (typeof config[name] === 'object') checkOptions(config[name] as object, callOptions, `${name}.`); // null was refused
  }
};
