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
  type OptionFault,
  type OptionKind,
} from '../../option-kind.js';
import * as kinds from './option-kinds.js';
import { checkSettings } from '../model/option-values.js';

/** What becomes of an option: its value is of a kind and is honoured, or it is refused by name unless it asks for nothing. Never ignored. */
type Treatment = OptionKind | Refused;

interface Refused {
  /** Whether the value asks for nothing that is not done anyway. */
  readonly harmless: (value: unknown) => boolean;
  /** Why, where the table of errors does not say enough. */
  readonly detail?: string;
}

const refusedBecause = (detail: string): Refused => ({ harmless: () => false, detail });
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
  onReaderCancel: kinds.onReaderCancel,
  throwOnTripwire: aBoolean,
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
  includeRawChunks: aBoolean,
  structuredOutput: anObject,
  output: refusedBecause('its successor is structuredOutput.'),
  scorers: recordOf(anObject),
  isTaskComplete: anObject,
  onIterationComplete: aFunction,
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
  onReaderCancel: kinds.onReaderCancel,
  throwOnTripwire: aBoolean,
  serveGuardDetails: aBoolean,
  serveErrorDetails: aBoolean,
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
  channels: refusedBecause('its approvals and replies are not tested with the runs of this agent.'),
  workspace: orGiven(anObject),
  signals: listOf(anObject),
  notifications: anObject,
  pubsub: anObject,
  goal: refusedBecause('a guard of the result judges the answer, and may ask for another.'),
  backgroundTasks: refusedBecause('no tool runs outside its run, where no guard judges its result.'),
  editor: refusedBecause('guards of a stored version are not known when the agent is built.'),
  transform: refusedBecause('guards of the stream and of results say what is shown.'),
};

/** What becomes of each option of a call and of a configuration; the documents are made of it. */
export const optionTreatments: Readonly<Record<'call' | 'config', Readonly<Record<string, Treatment>>>> = {
  call: callOptions,
  config: configOptions,
};

/** Whether an option is honoured, rather than refused or taken without effect. */
export const isHonoured = (treatment: Treatment): treatment is OptionKind => 'faultOf' in treatment;

type Fault = OptionFault & { readonly code: 'agent/unknown-option' | 'agent/invalid-option' | 'agent/unsupported-option' };

/** @param within The option that holds them, with a dot. */
const faultsIn = (given: object, table: Readonly<Record<string, Treatment>>, within = ''): Fault[] =>
  Object.entries(given).flatMap(([name, value]: [string, unknown]): Fault[] => {
    if (value === undefined) return [];
    const path = `${within}${name}`;
    const treatment = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!treatment) return [{ code: 'agent/unknown-option', path, detail: suggestion(name, Object.keys(table)) }];
    if (!isHonoured(treatment)) {
      const { harmless, detail = 'it is not supported.' } = treatment;
      return harmless(value) ? [] : [{ code: 'agent/unsupported-option', path, detail }];
    }
    const fault = treatment.faultOf(value, path);
    return fault ? [{ code: 'agent/invalid-option', ...fault }] : [];
  });

/** One error for all options that cannot be used, with the code of the first of them. */
const refuse = (faults: readonly Fault[], agentId: unknown): void => {
  const [first, ...others] = faults;
  if (!first) return;
  const of = typeof agentId === 'string' ? `agent "${agentId}": ` : '';
  const more = others.map(({ path, detail }) => `; ${path}: ${detail.replace(/[.]$/, '')}`).join('');
  throw new InterlockError(first.code, { path: first.path, detail: `${of}${first.detail.replace(/[.]$/, '')}${more}` });
};

const suggestion = (name: string, known: readonly string[]): string => {
  const [best] = known
    .map((one) => ({ one, apart: distance(name.toLowerCase(), one.toLowerCase()) }))
    .toSorted((a, b) => a.apart - b.apart);
  return best && best.apart <= Math.max(1, name.length / 4) ? `did you mean ${best.one}?` : 'there is no such option.';
};

/** How many letters have to be inserted, removed or replaced. */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [index, letter] of Array.from(one).entries()) {
    const above = row;
    row = [index + 1];
    for (let column = 1; column <= other.length; column += 1)
      row.push(
        Math.min(
          (above[column] ?? 0) + 1,
          (row[column - 1] ?? 0) + 1,
          (above[column - 1] ?? 0) + (letter === other[column - 1] ? 0 : 1),
        ),
      );
  }
  return row[other.length] ?? 0;
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
export const checkCallOptions = (options: object, agentId?: string): void => {
  refuse(faultsIn(options, callOptions), agentId);
  checkSettings(options);
};

/** A configuration without what is refused of it. */
export const honouredOf = (config: object): object =>
  Object.fromEntries(
    Object.entries(config).filter(([name]) => {
      const treatment = optionTreatments.config[name];
      return treatment !== undefined && isHonoured(treatment);
    }),
  );

/** Defaults of calls, as far as they are data; those that a function gives are checked with each call. */
const defaultsOfCalls = ['defaultOptions', 'defaultGenerateOptions', 'defaultStreamOptions'] as const satisfies ConfigName[];

/** Refuses what an agent's configuration cannot hold, all of it in one error; same codes as {@link checkCallOptions}. */
export const checkConfig = (config: Partial<Record<ConfigName, unknown>>, agentId: string): void => {
  const faults = faultsIn(config, configOptions);
  for (const name of defaultsOfCalls) {
    const defaults = config[name];
    if (typeof defaults === 'object' && defaults !== null) faults.push(...faultsIn(defaults, callOptions, `${name}.`));
  }
  refuse(faults, agentId);
};
