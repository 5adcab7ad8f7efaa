import { AsyncLocalStorage } from 'node:async_hooks';
import { Agent, type SubAgent } from '@mastra/core/agent';
import type { RequestContext } from '@mastra/core/request-context';
import { InterlockError } from '../../errors.js';
import { once } from '../../phase/memo.js';
import type { Chunk, ToolRequest } from '../../loop/ports.js';
import type { ToolCall } from '../../loop/tool-call.js';
import { isMark } from '../../ui/chat-messages.js';
import { withStandIns } from '../stand-ins.js';
import type { Durable } from '../../durable/journal.js';
import { Interruption } from '../../loop/interruption.js';
import { fieldsIn } from '../../phase/plain-data.js';

/** The reason for a stopped answer, in the form of both Mastra and Interlock. */
interface RejectionReason {
  readonly reason?: string;
  readonly processorId?: string;
  readonly metadata?: unknown;
}

/** The supervisor's result for a sub-agent that its guards stopped: an error in place of a response. */
const rejectionOf = (agentId: string, { reason, processorId }: RejectionReason): InterlockError => {
  const by = processorId ? ` by "${processorId}"` : '';
  const detail = `it was stopped${by}: ${reason ?? 'no reason was given'}`;
  return new InterlockError('agent/refused', { path: agentId, detail });
};

/** The fields of a streamed answer that this file reads. */
interface StreamedResponse {
  readonly tripwire?: RejectionReason | undefined;
  readonly fullStream: AsyncIterable<Chunk>;
}

/**
 * True if a call comes from a supervisor: Mastra's tool for a sub-agent marks each of its calls with this policy, which other
 * code must not use.
 */
export const isDelegated = (options: unknown): boolean =>
  fieldsIn(fieldsIn(options)['backgroundTaskPolicy'])['allowDelegationDispatch'] === false;

const withheld = new AsyncLocalStorage<true>();

/** Runs a tool of a run that buffers its answer. Sub-agents called inside it withhold theirs, at any depth. */
export const withholding = <T>(act: () => T): T => withheld.run(true, act);

/** The options of a call. A sub-agent of a run that buffers its answer buffers its own until the whole is accepted. */
export const withSupervisorHold = <T extends object>(options: T): T =>
  isDelegated(options) && withheld.getStore() ? { ...options, hold: 'run' } : options;

/** The answer to a supervisor's call. Raises `agent/refused` if a guard stopped it. */
export const rejectedResult = <T>(agentId: string, answer: T): T => {
  const { tripwire } = answer as Pick<StreamedResponse, 'tripwire'>;
  if (tripwire) throw rejectionOf(agentId, tripwire);
  return answer;
};

/**
 * The streamed answer to a supervisor's call. If it fails or a guard stops it, its full stream retracts all released parts; if a
 * guard stops it, the stream then ends with `agent/refused`.
 */
export const rejectedStream = <T extends object>(agentId: string, stream: T): T =>
  withStandIns(stream, {
    fullStream: (answer) => ReadableStream.from(withRejection(agentId, answer as unknown as StreamedResponse)),
  });

const retraction = 'data-interlock-retract';

/**
 * A retraction of a nested run, with the id of that run: its part ids may equal those of its supervisor. `@mastra/ai-sdk` passes it on to a
 * page only if it is not from an agent. Other marks it must not pass on.
 */
const ofSubRun = ({ data, ...chunk }: Chunk): Chunk => {
  if (chunk.type !== retraction) return { ...chunk, from: 'AGENT', data };
  return { ...chunk, from: 'USER', data: { subRunId: chunk.runId, ...fieldsIn(data) } };
};

/** Puts a tool's chunk about another run, such as a retraction, into the frame of the call. Other chunks are unchanged. */
export const inFrame = (chunk: Chunk, { toolCallId, toolName }: ToolCall): Chunk =>
  isMark(chunk) ? { type: 'tool-output', from: 'USER', payload: { output: ofSubRun(chunk), toolCallId, toolName } } : chunk;

async function* withRejection(agentId: string, answer: StreamedResponse): AsyncGenerator<Chunk> {
  const out = createLetOut();
  try {
    for await (const chunk of answer.fullStream) {
      if (chunk.type === 'error') yield* out.takeBack();
      out.note(chunk);
      yield chunk.type === retraction ? ofSubRun(chunk) : chunk;
    }
  } catch (error) {
    yield* out.takeBack();
    throw error;
  }
  if (!answer.tripwire) return;
  yield* out.takeBack(); // a host without retractions may release text that its guards then reject
  throw rejectionOf(agentId, answer.tripwire);
}

/** The released parts of a stream that are not retracted. */
const createLetOut = () => {
  const partIds = new Set<string>();
  let steps = 0;
  let run: string | undefined;
  return {
    /** A retraction of all these parts; empty without parts. Their attempt is unknown. */
    takeBack: (): Chunk[] => {
      if (partIds.size === 0) return [];
      const data = { attempt: 1, stepNumber: Math.max(0, steps - 1), partIds: [...partIds], scope: 'run' };
      partIds.clear();
      return [ofSubRun({ type: retraction, runId: run, data })];
    },
    note: ({ type, runId, payload, data }: Chunk): void => {
      run ??= runId;
      if (type === 'step-start') steps += 1;
      const { partIds: retracted, subRunId = run } = fieldsIn(data);
      if (type === retraction && subRunId === run && Array.isArray(retracted)) for (const id of retracted) partIds.delete(id);
      const { id } = fieldsIn(payload);
      if (typeof id === 'string' && /^(text|reasoning)-/.test(type)) partIds.add(id);
    },
  };
};

const copying = '__fork';

type AnyAgent = SubAgent & { [copying]?: () => AnyAgent };

/** An agent's sub-agents for its tools. Their calls raise `agent/refused` if a guard stopped them. */
export const asSubAgents = <T extends AnyAgent>(agents: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(agents).map(([name, agent]) => [name, asSubAgent(agent)]));

/** A proxy of an agent that raises `agent/refused` on a supervisor's calls; so do its copies with a stored version. */
const asSubAgent = <T extends AnyAgent>(agent: T): T =>
  withStandIns(agent, {
    generate: rejectionsIn('generate', rejectedResult),
    resumeGenerate: rejectionsIn('resumeGenerate', rejectedResult),
    stream: rejectionsIn('stream', rejectedStream),
    resumeStream: rejectionsIn('resumeStream', rejectedStream),
    ...(agent[copying] && { [copying]: (target: AnyAgent) => () => copyOf(target) }),
  });

const copyOf = (agent: AnyAgent): AnyAgent | undefined => {
  const copy = agent[copying]?.();
  return copy && asSubAgent(copy);
};

type Calling = 'generate' | 'resumeGenerate' | 'stream' | 'resumeStream';

const rejectionsIn =
  (name: Calling, reject: <T extends object>(agentId: string, answer: T) => T) =>
  (target: AnyAgent) =>
  async (input: never, options: unknown): Promise<object> => {
    if (!isDelegated(options)) return target[name](input, options);
    return reject(target.id, await callDirectly(target, () => target[name](input, options)));
  };

/** A persisted tool call of a supervisor, for the run of the sub-agent that it calls. */
export interface DelegatingCall {
  /** The id of the sub-agent's run: the same in every process. */
  readonly runId: string;
  /** Stores the sub-agent's run as steps of the supervisor's. */
  readonly durable: Durable;
  readonly isFenced: boolean;
  /** The output of an earlier segment of the sub-agent's run. */
  readonly rested: string | undefined;
  /** Stores a suspended run with the supervisor's run. */
  leave(rested: string): void;
  /** Interrupts the supervisor's run together with the sub-agent's. */
  interrupt(cause: unknown): void;
}

/** A tool call before it reaches its sub-agent. */
interface Underway {
  readonly delegating: DelegatingCall;
  /** Known once the call has reached a sub-agent. Calls of that sub-agent to others are not stored here. */
  readonly agent?: object;
}

const calls = new AsyncLocalStorage<Underway>();

/** Calls a sub-agent. */
const callDirectly = <T>(agent: object, act: () => T): T => {
  const underway = calls.getStore();
  return underway && !underway.agent ? calls.run({ ...underway, agent }, act) : act();
};

/**
 * The journal for a run of a sub-agent. Undefined when its supervisor's run has no journal, or when other code is between the
 * two.
 */
export const delegatingTo = (agent: object): DelegatingCall | undefined => {
  const underway = calls.getStore();
  return underway?.agent === agent ? underway.delegating : undefined;
};

/** Runs a tool so that the runs of its sub-agents are persisted with the call. Rejects with an {@link Interruption} if that fails. */
export const delegate = async <T>(
  { call, inside, resume }: Pick<ToolRequest, 'call' | 'inside' | 'resume'>,
  runId: string,
  act: () => Promise<T>,
) => {
  if (!inside) return { returned: await act() };
  let rested: string | undefined;
  let interruption: Interruption | undefined;
  const interrupt = (cause: unknown): void => void (interruption ??= new Interruption(cause));
  const delegating: DelegatingCall = {
    runId,
    durable: partOf(inside.durable, { name: call.toolCallId, interrupt }),
    isFenced: inside.isFenced,
    rested: resume?.kind === 'data' ? resume.suspension.rested : undefined,
    leave: (remaining) => void (rested = remaining),
    interrupt,
  };
  try {
    const returned = await calls.run({ delegating }, act);
    if (interruption) throw interruption;
    return { returned, rested };
  } catch (error) {
    throw interruption ?? error; // the host has wrapped it in its own error
  }
};

/** The steps of a part of a run, with prefixed keys. */
const partOf = (durable: Durable, part: { name: string; interrupt: (cause: unknown) => void }): Durable => ({
  step: async (key, run) => {
    try {
      return await durable.step(`${part.name} ${key}`, (inner) => run(partOf(inner, part)));
    } catch (error) {
      part.interrupt(error instanceof Interruption ? error.cause : error);
      throw error;
    }
  },
  publish: durable.publish,
  canceled: durable.canceled,
});

const guarding = Symbol('the guards of a run, and its thread');

/** A session of Mastra's `AgentController` in the request context of a run. */
interface ControllerContext {
  readonly threadId?: string | null;
  /** Kept by the contexts of its sub-agents, which have another thread, or none. */
  readonly [guarding]?: { readonly guarded: (subagent: Agent) => Agent; readonly threadId: string | null | undefined };
}

/** A session of Mastra's `AgentController`, as the request context of its runs describes it; applications may use the name as well. */
const controllerIn = (requestContext: RequestContext | undefined): ControllerContext | undefined => {
  const controller = requestContext?.get<string, ControllerContext | undefined>('controller');
  return typeof fieldsIn(controller)['getState'] === 'function' ? controller : undefined;
};

/** Whether a call comes from a supervisor, or from the tool `subagent` of an `AgentController`, which marks no calls. */
export const hasSupervisor = (options: { readonly requestContext?: RequestContext | undefined }): boolean => {
  const { threadId, [guarding]: guards } = controllerIn(options.requestContext) ?? {};
  return isDelegated(options) || (guards !== undefined && guards.threadId !== threadId);
};

/** Passes guards on to the sub-agents that an `AgentController` creates in its tool `subagent`. */
export const guardSubagents = (requestContext: RequestContext, guardedAgent: (parts: object) => Agent): void => {
  const guarded = (subagent: Agent): Agent =>
    guardedAgent({
      id: subagent.id,
      name: subagent.name,
      mastra: subagent.getMastraInstance(),
      model: subagent.model,
      instructions: subagent.getInstructions.bind(subagent),
      tools: subagent.listTools.bind(subagent),
      workspace: subagent.getWorkspace.bind(subagent),
    });
  const controller = controllerIn(requestContext);
  if (!controller) return;
  replaceStream();
  requestContext.set('controller', { [guarding]: { guarded, threadId: controller.threadId }, ...controller });
};

/**
 * Runs these sub-agents with the guards, from the first guarded run in a session on. Their controller creates them with Mastra's class
 * and streams them at once, so that the method of that class is the only place to replace them; its other calls are unchanged.
 */
const replaceStream = once(() => {
  const { stream } = Agent.prototype;
  const guardedStream = function (this: Agent, ...call: [unknown, { requestContext?: RequestContext }?]): Promise<object> {
    const controller = this.id.startsWith('subagent-') ? controllerIn(call[1]?.requestContext) : undefined;
    const guarded = controller?.[guarding]?.guarded(this);
    return Reflect.apply(guarded?.stream ?? stream, guarded ?? this, call);
  };
  Object.defineProperty(Agent.prototype, 'stream', { value: guardedStream, configurable: true, writable: true });
});
