import type { Agent } from '@mastra/core/agent';
import type { MessageListInput } from '@mastra/core/agent/message-list';
import type { RequestContext } from '@mastra/core/request-context';
import type { Chunk, LoopPorts, RunMode, StepSettings } from '../../loop/ports.js';
import type { OnShow } from '../../stream/stream-buffer.js';
import { createRun } from '../../loop/create-run.js';
import type { LoopLimits } from '../../loop/machine.js';
import type { Journal, Run, Lanes } from '../../loop/run.js';
import { holdOf, holdsToolOutput } from '../../pipeline/hold.js';
import type { CallOptions } from '../call-options.js';
import { compileChains, resolveChains } from './chains.js';
import type { InterlockConfig } from './config.js';
import { readerGuards } from '../workflow/guards.js';
import type { AgentSetup } from './read-config.js';
import { createLoopPorts, idsOf } from './loop-ports.js';
import { guardSubagents } from '../tools/delegation.js';
import { checkPromise, type LoopTarget } from '../tools/tools.js';
import { createUnfinishedTurn } from '../memory/unfinished-turn.js';
import { openConversation, requestedIds } from '../memory/memory.js';
import { objectPlanOf, structureWith } from '../structured-output/structured-output.js';
import type { StructuredOutput } from '../structured-output/structured-output-options.js';
import { mastraOptions } from '../options/mastra-options.js';
import { ownOptions } from '../options/own-options.js';
import { openList } from './read-call.js';
import { recordStart } from './resume.js';
import { runSegmentOf } from './run-segment.js';
import { createAgentTrace, type SpanPlace } from '../tracing/agent-trace.js';
import type { Processor } from '@mastra/core/processors';
import { phases } from '../../phase/table.js';
import { withoutHeaders } from '../../loop/record-ports.js';
import { createRecording, readAhead, type HeaderFacts } from '../../loop/run-recording.js';
import { recorderOf } from '../../trace/observers.js';
import type { TraceRecorder } from '../../trace/trace-writer.js';
import { parentCall } from '../../trace/parent-call.js';
import { readOutputSchema } from '../structured-output/output-schema.js';
import { mergeOptions, ownOptionsOf, type OwnOptions } from '../options/option-table.js';
import { pick } from '../../phase/plain-data.js';

/** Maximum steps of a run that only stop conditions bound. */
const boundedByConditions = 1_000;
const retriesWithErrorProcessors = 3;

/** A call of an agent with its options resolved. */
interface StartOptions extends Pick<AgentSetup, 'guards' | 'hooks' | 'maxModelRetries' | 'createAgent'> {
  readonly agent: Agent;
  readonly mode: RunMode;
  readonly messages: MessageListInput;
  readonly options: CallOptions;
  readonly requestContext: RequestContext;
  /** True if the messages are signals of a thread. */
  readonly isSignal?: boolean;
  /** The journal of a durable run. */
  readonly journal?: Journal;
  /** True if the run started elsewhere: then it is not recorded, because a recording includes a run's start. */
  readonly isContinued?: boolean;
  /** The original limits of a continued run. Default: those of the agent and the call. */
  readonly limits?: LoopLimits | undefined;
  /** The span of the earlier segment of a resumed durable run. */
  readonly resumedFrom?: SpanPlace | undefined;
  /** Called with each chunk once it is visible, in addition to the caller's stream, which it may delay. */
  readonly show?: OnShow<Chunk>;
  /** Replaces models and tools. */
  readonly answering?: (ports: LoopPorts) => LoopPorts;
}

/** Creates a run, and rejects invalid options and guards before any model call. */
export const startRun = async (start: StartOptions): Promise<Run> => {
  const { agent, guards, mode, messages, options, requestContext, maxModelRetries, isContinued } = start;
  if (!start.journal) checkPromise(guards.effects, undefined);
  const createId = idsOf(agent, 'message');
  const runId = options.runId ?? idsOf(agent, 'run')();
  const conversation = await openConversation(agent, options.memory, requestContext);
  const owner = pick(conversation ?? requestedIds(options.memory, requestContext), 'threadId', 'resourceId');
  const own: OwnOptions<'config'> = mergeOptions(ownOptionsOf(guards), ownOptionsOf(options)); // the call's override the agent's
  const chains = await resolveChains({ ...start, guards: { ...own, signals: guards.signals }, conversation });
  const ownLimits = start.limits ?? limitsOf(own, options, chains.error.length > 0);
  const lanes = compileChains(agent.id, chains, own.recordEdits ?? false);
  const isGuarded = Object.values(lanes).some(Boolean);
  const list = await openList({ agent, options, messages, requestContext, owner, createId, isGuarded });
  const hold = holdFor(own, lanes);
  const hooks = { ...start.hooks, ...options.hooks };
  const call = { agent, options, requestContext, runId, mode, list, conversation, owner, hooks, maxModelRetries };
  const trace = createAgentTrace({ ...start, ...call, ...ownLimits, hasWords: own.recordEdits ?? false }, lanes);
  const target: LoopTarget = { ...call, isGuarded, trace };
  if (target.isGuarded) guardSubagents(requestContext, (parts) => start.createAgent({ ...guards, ...unstored, ...parts }));
  const { settings, ...loop } = await createLoopPorts(target, createId);
  const ports = start.answering?.(loop.ports) ?? loop.ports;
  const recorder = isContinued ? undefined : recorderOf(own.record);
  const recordedParts = { recorder, recordEdits: own.recordEdits, ports, lanes, settings, chains };
  const { recording, startRecording, ...recorded } = openRecording(target, recordedParts);
  const run: Run = createRun({
    runId,
    agentId: agent.id,
    ...runSegmentOf({ agent, mode, options, guards, recorded: recording?.show, show: start.show }, () => run),
    list,
    ...recorded,
    settings,
    objectPlan: objectPlanFor(start, own, ownLimits.maxRetries),
    limits: { models: loop.ports.models.length, ...ownLimits },
    tracer: trace,
    recording,
    hold,
    holdsToolOutput: own.hold !== 'none' && lanes.output !== undefined && holdsToolOutput(lanes.output.graph),
    ...pick(own, 'window', 'maxHeldChars', 'serveGuardDetails', 'serveErrorDetails', 'effects'),
    persistence: own.persistence ?? {},
    toolConcurrency: concurrencyOf(options),
    unfinishedTurn: createUnfinishedTurn(conversation, chains.memory, requestContext),
    savePerStep: options.savePerStep,
    journal: start.journal,
    context: {
      agent: agent as never, // hooks get the agent that runs them; Mastra types it with its own generics
      requestContext,
      tracingContext: options.tracingContext,
      conversation,
    },
  });
  await startRecording(run);
  recordStart(run, { agent, options, requestContext });
  return run;
};

/** A run inside a tool is not stored by itself. */
const unstored = { durability: undefined, runQueue: undefined, deadlineMs: undefined, effects: undefined, signals: undefined };

/** The resolved `hold`: the part of the answer that content waits for after its stream guards. */
const holdFor = ({ hold = ownOptions.hold.default }: InterlockConfig, lanes: Lanes): Run['options']['hold'] => {
  const holds =
    hold === 'auto' ? (['output', 'input'] as const).map((lane) => lanes[lane] && holdOf(lanes[lane].graph, lane)) : [hold];
  return holds.find((one) => one === 'run' || one === 'step'); // input guards ask for a step at most
};

const objectPlanFor = ({ agent, createAgent }: StartOptions, own: InterlockConfig, maxRetries: number) => {
  const { errorProcessors, maxProcessorRetries, recordEdits } = own;
  const guards = { ...readerGuards(own), errorProcessors, maxProcessorRetries };
  const structure = (structuredOutput: StructuredOutput) => structureWith(createAgent, guards, structuredOutput);
  return objectPlanOf({ agentId: agent.id, maxRetries, recordEdits, structure });
};

/** The limits that options set. The number of models follows from the ports. */
type OwnLimits = Omit<LoopLimits, 'models'>;

const limitsOf = (
  { maxProcessorRetries: maxRetries }: InterlockConfig,
  options: CallOptions,
  hasErrorGuards: boolean,
): OwnLimits => ({
  maxSteps: options.maxSteps ?? (options.stopWhen ? boundedByConditions : mastraOptions.maxSteps.default),
  maxRetries: maxRetries ?? (hasErrorGuards ? retriesWithErrorProcessors : ownOptions.maxProcessorRetries.default),
  maxRecoveries: maxRetries ?? retriesWithErrorProcessors,
});

const concurrencyOf = ({ toolCallConcurrency: limit }: CallOptions): number =>
  (typeof limit === 'number' ? limit : limit?.limit) ?? mastraOptions.toolCallConcurrency.default;

/** The parts of a run that its recording needs. */
interface Recorded extends Pick<Run['options'], 'ports' | 'lanes' | 'settings'>, Pick<InterlockConfig, 'recordEdits'> {
  readonly recorder: TraceRecorder | undefined;
  readonly chains: Pick<Awaited<ReturnType<typeof resolveChains>>, 'recalling' | 'memory'>;
}

/**
 * Opens the recording that the call, its agent or an observer of the process requests: the ports and arrays that replace the run's own,
 * and the function that starts it.
 */
const openRecording = (target: LoopTarget, { recorder, recordEdits, ports, lanes, settings, chains }: Recorded) => {
  /** Also for a run that is not recorded: its spans conceal the same. */
  const read = (run: Run) => readAhead(lanes, run.scope, run.scope.host.messages.read(run.state.list, 'all'));
  if (!recorder) return { ports, lanes, recording: undefined, startRecording: read };
  /** The processors of the memory, which a replay replaces. */
  const memory = { before: chains.recalling.map(factsOf), after: chains.memory.map(factsOf) };
  const memoryIds = new Set([...memory.before, ...memory.after].map(({ id }) => id));
  const recording = createRecording({ ports, lanes, runId: target.runId, recorder, memoryIds });
  const facts: HeaderFacts = {
    threadId: target.conversation?.threadId,
    parent: parentCall(),
    ...(memoryIds.size > 0 && { memory }),
    recordEdits,
    settings: settingsOf(settings, target.options),
  };
  const startRecording = (run: Run) => read(run).then(() => recording.start(run, facts));
  return { ports: recording.ports, lanes: recording.lanes, recording, startRecording };
};

const factsOf = (processor: Processor): { id: string; hooks: string[] } => ({
  id: processor.id,
  hooks: Object.values(phases).flatMap(({ hook }) => (typeof processor[hook] === 'function' ? [hook] : [])),
});

/** The settings of each step as plain data, with schemas as JSON schema. */
const settingsOf = (settings: StepSettings, { structuredOutput }: CallOptions): HeaderFacts['settings'] => ({
  ...pick(settings, 'toolChoice', 'activeTools', 'providerOptions'),
  modelSettings: withoutHeaders(settings.modelSettings),
  structuredOutput: structuredOutput && objectFacts(structuredOutput),
});

const objectFacts = ({ schema, errorStrategy, fallbackValue, model }: StructuredOutput): object => ({
  schema: readOutputSchema(schema).own,
  errorStrategy,
  fallbackValue,
  ...(model !== undefined && { model: 'recorded' }), // a replay reads the object from the recording
});
