import {
  didYouMean,
  aBoolean,
  aCount,
  abortSignal,
  aFunction,
  aName,
  aNumber,
  anObject,
  aText,
  either,
  fieldsOf,
  functionOf,
  instanceWith,
  isObject,
  kind,
  longestTimerMs,
  listOf,
  oneOf,
  recordOf,
  wholeNumberFrom,
  type OptionFault,
  type OptionKind,
} from '../../option-kind.js';
import { structuredOutputFaults } from '../structured-output/structured-output-options.js';
import { both, each, inConfig, onCall, removes, type OptionRow, type IgnoredOption } from './option-row.js';

/** A value, or a function that returns it for each request. */
const orFunction = (given: OptionKind): OptionKind => either(given, aFunction);

const ignored = (detail: string): IgnoredOption<'always'> => ({ reported: 'always', detail });

const ignoredUnlessFalse = (detail: string): IgnoredOption<'unless-false'> => ({ reported: 'unless-false', detail });

/** Accepted because hosts pass it on; it has no effect here. */
const withoutEffect: IgnoredOption<'never'> = { reported: 'never' };

const systemMessage = either(
  aText,
  kind<object>('a system message', (value) => isObject(value) && value.role === 'system'),
);
/** Instructions of a call or an agent. */
const instructions = either(systemMessage, listOf(systemMessage));

const message = either(
  aText,
  kind<object>('a message', (value) => isObject(value) && ('content' in value || 'parts' in value)),
);
/** Messages in any form that Mastra accepts. */
const messages = either(message, listOf(message));

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;
const isFilled = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;

/** A model, its id, or a list of fallback models in order. */
const model = orFunction(
  either(
    either(aName, anObject),
    kind<object[]>(
      'an array of { model }, tried in order',
      (value) => isFilled(value) && value.every((entry) => isObject(entry) && isPresent(entry.model)),
    ),
  ),
);

/** Tools by name. */
const tools = recordOf(kind<object>('an object or a function', (value) => typeof value === 'function' || isObject(value)));

const toolChoice = either(
  oneOf('auto', 'none', 'required'),
  kind<object>(
    '{ type: "tool", toolName }',
    (value) => isObject(value) && value.type === 'tool' && typeof value.toolName === 'string',
  ),
);

const functions = either(aFunction, listOf(aFunction));

const atOnce = wholeNumberFrom(1);
const concurrency = either(atOnce, fieldsOf({ limit: atOnce, strategy: oneOf('available', 'called') }));

const status = oneOf('draft', 'published');
/** Stored versions of agents by id, and the default status for others. */
const versions = fieldsOf({ agents: recordOf(fieldsOf({ versionId: aName, status })), defaultStatus: status });
/** The parts that a stored version may change. Guards always come from the code. */
const editor = either(
  kind<false>('false', (value) => value === false),
  fieldsOf({ instructions: aBoolean, tools: either(aBoolean, fieldsOf({ description: aBoolean })) }),
);

const requestContext = instanceWith('getRaw', 'a RequestContext');
const memory = instanceWith('recall', 'a Mastra memory');
const thread = kind<object>('an object with an id', (value) => isObject(value) && typeof value.id === 'string');
/** The thread of a call, and its owner. */
const memoryOfCall = fieldsOf({
  thread: either(aName, thread),
  resource: aName,
  options: anObject,
  onTitleGenerated: functionOf<(title: string) => unknown>(),
});
const mastra = instanceWith('getLogger', 'a Mastra instance');
const voice = instanceWith('addTools', 'a Mastra voice');
/** Sub-agents and workflows by their names. */
const agents = recordOf(instanceWith('getDescription', 'an agent'));
const workflows = recordOf(instanceWith('createRun', 'a workflow'));
const schema = kind<object>('a schema', (value) => typeof value === 'function' || isObject(value));

const callbacks = recordOf(aFunction);
const served = { isServed: true } as const;
const resumed = { onResume: 'allowed' } as const;
/** Options of the waiting caller, which may be another one after a resumption. */
const ofCaller = { ...resumed, isLocal: true } as const;
const repeated = { isServed: true, onResume: 'delegated' } as const;

/** A setting of a model, or null for its default. */
const aSetting = <Value>(given: OptionKind<Value>): OptionKind<Value | null> =>
  either(
    given,
    kind<null>('null', (value) => value === null),
  );

const milliseconds = kind<number>(
  `a positive number of milliseconds, at most ${longestTimerMs}`,
  (value) => typeof value === 'number' && value > 0 && value <= longestTimerMs,
);

/** The settings of a call to a model. Mastra passes others to the provider. */
const modelSettings: Readonly<Record<string, OptionKind>> = {
  maxOutputTokens: aSetting(wholeNumberFrom(1)),
  temperature: aSetting(aNumber),
  topP: aSetting(aNumber),
  topK: aSetting(aNumber),
  presencePenalty: aSetting(aNumber),
  frequencyPenalty: aSetting(aNumber),
  stopSequences: aSetting(listOf(aText)),
  seed: aSetting(aNumber),
  maxRetries: aSetting(aCount),
  headers: aSetting(recordOf(aText)),
  timeout: fieldsOf({ totalMs: milliseconds, stepMs: milliseconds, firstChunkMs: milliseconds }),
};

/** True if a name is a setting of a model, in `modelSettings`. */
export const isModelSetting = (name: string): boolean => Object.hasOwn(modelSettings, name);

const ofCall = 'set it as option of the call.';

/** Settings that would be ignored, or replace what guards have judged. */
const unsupportedSettings: Readonly<Record<string, string>> = {
  abortSignal: ofCall,
  prompt: 'guards would not judge it; pass messages.',
  tools: 'set tools of the agent, toolsets or clientTools.',
  toolChoice: ofCall,
};

/** The faults of a model's settings: wrong values of known ones, misspelt names, and those that have no effect. */
export const modelSettingsFaults = (settings: unknown): readonly OptionFault[] =>
  isObject(settings)
    ? Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : settingFaults(name, value)))
    : [];

const settingFaults = (name: string, value: unknown): OptionFault[] => {
  const path = `modelSettings.${name}`;
  const [known, reason] = [ownOf(modelSettings, name), ownOf(unsupportedSettings, name)];
  if (reason) return [{ code: 'agent/unsupported-option', path, detail: reason }];
  if (known) return known.faultsOf(value, path).map((fault) => ({ code: 'agent/invalid-option', ...fault }));
  const detail = didYouMean(name, Object.keys(modelSettings));
  return detail === undefined ? [] : [{ code: 'agent/unknown-option', path, detail }];
};

const ownOf = <Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** Options of Mastra's agent, and those that hosts add; their types are Mastra's. */
export const mastraOptions = {
  id: { call: withoutEffect, config: aName },
  name: inConfig(aName),
  description: inConfig(aText),
  metadata: inConfig(orFunction(anObject)),
  instructions: { call: instructions, config: orFunction(instructions), ...repeated },
  system: onCall(instructions, served),
  context: onCall(messages, repeated),
  model: both(model, served),
  maxRetries: inConfig(wholeNumberFrom(0)),
  memory: {
    call: memoryOfCall,
    config: orFunction(memory),
    isServed: true,
    onResume: 'allowed-and-delegated',
    mergeDepth: 1,
  },
  runId: onCall(aName, { ...served, ...ofCaller }),
  requestContext: onCall(requestContext, { ...served, ...ofCaller }),
  requestContextSchema: inConfig(schema, { protects: true }),
  abortSignal: onCall(abortSignal, { ...served, ...ofCaller, protects: true }),
  actor: onCall(anObject, { ...resumed, protects: true }),
  mcp: onCall(anObject),
  maxSteps: onCall(wholeNumberFrom(1), { ...repeated, default: 5, ignores: [0] }),
  stopWhen: onCall(functions, served),
  providerOptions: onCall(recordOf(anObject), { ...served, mergeDepth: Infinity }),
  modelSettings: onCall(anObject, { ...served, mergeDepth: 1, check: modelSettingsFaults }),
  ...each(onCall(aFunction, ofCaller), 'onStepFinish', 'onFinish', 'onChunk', 'onError', 'onAbort'),
  onIterationComplete: onCall(aFunction),
  activeTools: onCall(listOf(aText), { ...served, protects: true }),
  tools: inConfig(orFunction(tools)),
  toolsets: onCall(recordOf(tools), { ...served, mergeDepth: 2 }),
  clientTools: onCall(tools, { ...served, mergeDepth: 1 }),
  hooks: both(callbacks, { mergeDepth: 1, protects: true }),
  toolChoice: onCall(toolChoice, { ...served, protects: true }),
  toolCallConcurrency: onCall(concurrency, { default: 10 }),
  requireToolApproval: onCall(orFunction(aBoolean), { ...served, loosens: removes, protects: true }),
  prepareStep: onCall(aFunction),
  experimentalTransform: onCall(functions, ofCaller),
  includeRawChunks: onCall(aBoolean),
  structuredOutput: onCall(anObject, { ...served, check: structuredOutputFaults }),
  output: onCall(ignored('use structuredOutput instead.'), served),
  experimental_output: onCall(ignored('use structuredOutput instead.'), served),
  format: onCall(ignored('convert the stream with toAISdkStream of @mastra/ai-sdk.'), served),
  telemetry: both(ignored('use tracingOptions of a call, and observability of the Mastra instance.'), served),
  runtimeContext: onCall(ignored('it is requestContext since Mastra 1.0.'), served),
  isTaskComplete: onCall(anObject),
  delegation: onCall(anObject, { protects: true }),
  scorers: { call: recordOf(anObject), config: orFunction(recordOf(anObject)), ...served },
  returnScorerData: onCall(aBoolean),
  tracingContext: onCall(anObject, ofCaller),
  tracingOptions: onCall(anObject, served),
  // Mastra derives these from the tracing context, and passes them to every agent it calls.
  tracing: onCall(anObject, ofCaller),
  ...each(onCall(withoutEffect), 'loggerVNext', 'metrics'),
  serverless: onCall(anObject, { isLocal: true }),
  // A stream ends when its run suspends; nothing here runs in the background or sends signals.
  ...each(onCall(withoutEffect), 'hideSignals', 'closeOnSuspend', 'disableBackgroundTasks', '_skipBgTaskWait', 'untilIdle'),
  backgroundTaskPolicy: onCall(withoutEffect, resumed),
  // Options that hosts add to a call: Mastra's server to each request, the AI SDK's chat to its messages, AgentController to each run.
  ...each(onCall(withoutEffect), 'registeredTools', 'taskStore', 'routePrefix', 'request', 'messageId', 'outputWriter'),
  eagerToolExecution: onCall(ignoredUnlessFalse('no tool runs before its step is judged.')),
  autoResumeSuspendedTools: onCall(
    ignoredUnlessFalse('a model cannot resume a suspended tool; call resumeStream or resumeGenerate.'),
  ),
  savePerStep: onCall(aBoolean),
  versions: onCall(versions, served),
  transform: both(fieldsOf({ transformToolPayload: aFunction, targets: listOf(oneOf('display', 'transcript')) })),
  workflows: inConfig(orFunction(workflows)),
  agents: inConfig(orFunction(agents)),
  defaultOptions: inConfig(orFunction(anObject)),
  defaultGenerateOptions: inConfig(orFunction(anObject)),
  defaultStreamOptions: inConfig(orFunction(anObject)),
  defaultGenerateOptionsLegacy: inConfig(orFunction(anObject)),
  defaultStreamOptionsLegacy: inConfig(orFunction(anObject)),
  defaultNetworkOptions: inConfig(orFunction(anObject)),
  mastra: inConfig(mastra),
  voice: inConfig(orFunction(voice)),
  options: inConfig(anObject),
  rawConfig: inConfig(anObject),
  durable: inConfig(ignoredUnlessFalse('set the engine as durability.')),
  skills: inConfig(orFunction(listOf(either(aText, anObject)))),
  skillsFormat: inConfig(oneOf('xml', 'json', 'markdown')),
  browser: inConfig(anObject),
  workspace: inConfig(orFunction(anObject)),
  channels: inConfig(anObject),
  signals: inConfig(listOf(anObject)),
  notifications: inConfig(anObject),
  pubsub: inConfig(anObject),
  goal: inConfig(anObject),
  // Every tool runs within its run, where guards judge its result, so callbacks of background tasks are not needed.
  backgroundTasks: inConfig(
    fieldsOf({ disabled: aBoolean, tools: either(oneOf('all'), anObject), concurrency, waitTimeoutMs: wholeNumberFrom(0) }),
  ),
  editor: inConfig(editor),
} as const satisfies Readonly<Record<string, OptionRow>>;
