import { MessageList } from '@mastra/core/agent';
import type { TraceHeader, TraceEntry } from '../../../schemas/index.js';
import { InterlockError } from '../../errors.js';
import { createReplayPorts, type ReplayStage } from '../../loop/replay-ports.js';
import type { ModelEntry, StepSettings } from '../../loop/ports.js';
import type { ResolvedModel } from '../../phase/host.js';
import { headerOf, traceOfKind, type Trace } from '../../trace/traces.js';
import { readContents } from '../../trace/contents.js';
import { placeholder, standInOf } from '../../guard/secrets.js';
import { fromPlainJson, type MapText } from '../../trace/plain-json.js';
import { createTape } from '../../trace/replay.js';
import { createHost } from '../workflow/scope.js';
import { createCheckpoints, loopMessages } from '../messages/create-message-port.js';
import { fillList, createMessageCopies, type ListState } from '../messages/list-insides.js';
import { toPrompt } from '../model/prompts.js';
import { objectPlanOf, structuredOutputId, type Structured } from '../structured-output/structured-output.js';
import type { StructuredOutput } from '../structured-output/structured-output-options.js';
import { RequestContext } from '@mastra/core/request-context';
import type { Processor } from '@mastra/core/processors';
import type { Lanes } from '../../loop/run.js';
import { compileChains } from '../agent/chains.js';
import { resolveLanes, type AgentGuards } from '../workflow/guards.js';
import { phases } from '../../phase/table.js';
import { fieldsIn } from '../../phase/plain-data.js';

/** Guards to replay a run with, in the arrays of an agent. */
export type ReplayGuards = AgentGuards;

/** The inputs for setting up a replay. */
interface ReplayPlan {
  readonly recorded: Trace;
  readonly guards: ReplayGuards;
  readonly stage: ReplayStage;
  readonly conceal: MapText;
  readonly structuredOutput?: StructuredOutput;
}

/** Sets up the run of a trace: its conversation, and stand-ins for models, tools, memory and users. */
export const replaySetup = async ({ recorded, guards, stage, conceal, ...given }: ReplayPlan) => {
  const header = headerOf(recorded);
  if (header.models.length === 0)
    throw new InterlockError('trace/invalid', {
      path: 'header.models',
      detail: 'only runs of an InterlockAgent can be replayed',
    });
  const reveal = header.concealedFor.length > 0 ? withStandIns : undefined;
  const read = readContents(recorded, reveal);
  const createId = replayIds(recorded, header.messageId);
  const memory = { entries: createTape(traceOfKind(recorded, 'memory')), read, stage };
  const settings: StepSettings = { ...settingsOf(header), ...(given as Partial<StepSettings>) }; // a schema may have any form
  const { agentId = 'agent' } = header;
  return {
    header,
    /** Replaces concealed values by stand-ins. Undefined if none were concealed. */
    reveal,
    list: replayList(recorded, read, createId),
    lanes: await replayLanes(guards, header, memory),
    ports: {
      ...createReplayPorts({ trace: recorded, runId: header.runId, stage, conceal, reveal }),
      host: createHost(modelLike),
      messages: { ...loopMessages, ...createCheckpoints(createMessageCopies(() => true)), toPrompt },
      models: header.models.map((model): ModelEntry => ({ model: replayModel(model), maxRetries: 0 })),
      now: () => performance.now(),
      wallClock: () => Date.now(),
      createId,
    },
    settings,
    objectPlan: objectPlanOf({
      agentId,
      maxRetries: header.limits.maxRetries,
      recordEdits: header.recordEdits,
      structure: () => async () => recordedObject(recorded, reveal),
    }),
    memoryIds: new Set([...(header.memory?.before ?? []), ...(header.memory?.after ?? [])].map(({ id }) => id)),
    tracer: { onEvent: () => undefined, openSpan: stage.openSpan, ids: { traceId: undefined, spanId: undefined } },
  };
};

/** The object that a second model created in the recorded run, or the tripwire of a guard that rejected it. */
const recordedObject = (recorded: Trace, reveal: MapText | undefined): Structured => {
  const { object, tripwire } = traceOfKind(recorded, 'result').at(-1) ?? {};
  if (tripwire?.processorId === structuredOutputId)
    return { tripwire: fromPlainJson(tripwire, reveal) as Structured['tripwire'] };
  return { object: fromPlainJson(object, reveal) };
};

const everyPlaceholder = new RegExp(placeholder, 'g');

/** Replaces the model's placeholders by the stand-ins that all other code gets. */
const withStandIns = (text: string): string => text.replaceAll(everyPlaceholder, standInOf);

const settingsOf = ({ settings, tools }: TraceHeader): StepSettings => ({
  ...(fromPlainJson(settings) as StepSettings),
  tools: Object.fromEntries(tools.map((name) => [name, { id: name }])),
});

/** A stand-in for a model with its name; it is never called. */
const replayModel = (named: TraceHeader['models'][number]): ResolvedModel => {
  const throwUnrecorded = (): never => {
    throw new TypeError('In a replay no model is called.');
  };
  return { ...named, supportedUrls: {}, doGenerate: throwUnrecorded, doStream: throwUnrecorded } as unknown as ResolvedModel; // other fields are not used
};

/** A model that a guard requests: an instance unchanged, or a stand-in for a name. */
const modelLike = (choice: unknown): ResolvedModel => {
  if (typeof choice === 'object' && choice !== null && 'specificationVersion' in choice) return choice as ResolvedModel;
  const [provider = '', ...rest] = String(fieldsIn(choice)['id'] ?? choice).split('/');
  return replayModel({ provider, modelId: rest.join('/'), specificationVersion: 'v2' });
};

/** The initial conversation of a recorded run. Raises `trace/redacted`. */
export const replayList = (trace: Trace, read: ReturnType<typeof readContents>, createId: () => string): MessageList => {
  const [input] = traceOfKind(trace, 'input');
  if (!input?.list) throw new InterlockError('trace/redacted', { path: 'input' });
  const state = read(input.list) as unknown as ListState; // the state of a list
  return fillList(new MessageList({ ...state.memoryInfo, generateMessageId: createId }), state);
};

/** The ids of messages in an entry: messages added to the list, or the message id of a step. */
const messageIdsIn = (entry: Trace[number]): string[] => {
  if (entry.kind === 'left') {
    const { messageId } = fieldsIn(fieldsIn(entry.chunk)['payload']);
    return typeof messageId === 'string' ? [messageId] : [];
  }
  return ('adds' in entry && entry.adds ? entry.adds : []).flatMap((value) => {
    const { id, content } = fieldsIn(value);
    return typeof id === 'string' && content !== undefined ? [id] : [];
  });
};

/** Returns the recorded message ids of the run in order, then generated ones. */
const replayIds = (trace: Trace, messageId: string): (() => string) => {
  const known = new Set(traceOfKind(trace, 'input').flatMap(({ messages }) => messages.map(({ id }) => id)));
  const own = trace.flatMap(messageIdsIn).filter((id) => !known.has(id));
  const ids = [...new Set([messageId, ...own])].values();
  let count = 0;
  return () => ids.next().value ?? `replayed-${(count += 1)}`;
};

/** The guards of a replay by array, surrounded by stand-ins for the memory's processors, as in an agent. */
const replayLanes = async (guards: ReplayGuards, header: TraceHeader, memory: RecordedMemory): Promise<Lanes> => {
  const { agentId = 'agent' } = header;
  const { input, output, error } = await resolveLanes(guards, new RequestContext(), agentId);
  const before = (header.memory?.before ?? []).map((one) => memoryReplacement(one, memory));
  const after = (header.memory?.after ?? []).map((one) => memoryReplacement(one, memory));
  const chains = {
    input: before.length > 0 ? [...before, ...input] : input,
    output,
    error,
    others: [...input, ...output],
    memory: after,
  };
  return compileChains(agentId, chains, header.recordEdits);
};

/** The recorded data for stand-ins. */
interface RecordedMemory {
  readonly entries: ReturnType<typeof createTape<Extract<TraceEntry, { kind: 'memory' }>>>;
  readonly read: ReturnType<typeof readContents>;
  readonly stage: ReplayStage;
}

/** A processor that repeats the effect of a memory processor on the conversation, without storage. */
const memoryReplacement = (
  { id, hooks }: NonNullable<TraceHeader['memory']>['before'][number],
  { entries, read, stage }: RecordedMemory,
): Processor => {
  const hookOf =
    (phase: string) =>
    async ({ messageList }: { messageList?: MessageList }): Promise<unknown> => {
      const entry = entries((one) => one.processorId === id && one.phase === phase);
      if (!entry) return stage.end(`the memory (${id}) was never asked here.`);
      if (entry.error !== undefined) throw fromPlainJson(entry.error);
      if (!entry.list || !messageList) return undefined;
      return fillList(messageList, read(entry.list) as unknown as ListState); // the state of a list
    };
  const own = Object.values(phases).filter(({ hook }) => hooks.includes(hook));
  return { id, ...Object.fromEntries(own.map(({ hook, phase }) => [hook, hookOf(phase)])) };
};
