import * as mastraAgent from '@mastra/core/agent';
import type { Processor } from '@mastra/core/processors';
import type { Lanes } from '../../loop/run.js';
import { nodeId } from '../../pipeline/graph-steps.js';
import { holdOf } from '../../pipeline/hold.js';
import type { CallOptions, PrepareStep } from '../call-options.js';
import type { InterlockConfig } from './config.js';
import { compileLane, laneId, registerProcessors, resolveLanes, compileRecording } from '../workflow/guards.js';
import type { Conversation } from '../memory/memory.js';
import { memoryProcessors } from '../memory/memory-processors.js';
import { goalOf } from './goal.js';
import type { Titling } from '../memory/memory-title.js';
import { processorsOf, mapGuards, type GraphNode, type GuardNode, type Plan } from '../../pipeline/graph.js';
import { renamed } from '../graph/guard-node.js';
import { toGraph, type PipelineStep } from '../graph/to-graph.js';
import { phases } from '../../phase/table.js';
import * as mastraTools from '@mastra/core/tools';
import type { LoopTarget } from '../tools/tools.js';

/** The guards of a call by array, in the order of execution. */
type Chains = Awaited<ReturnType<typeof resolveChains>>;

/** The call to resolve guards for. */
interface ChainOptions extends Titling {
  readonly options: CallOptions;
  /** Interlock's own options of the run. */
  readonly guards: InterlockConfig;
  /** Undefined if the conversation is not stored in a thread. */
  readonly conversation: Conversation | undefined;
  /** True if the messages are signals of a thread. */
  readonly isSignal?: boolean;
}

/** A call's guards replace the agent's. Memory's processors stay around them, and `prepareStep` runs last. */
export const resolveChains = async (chaining: ChainOptions) => {
  const { agent, guards, options, requestContext, conversation, isSignal } = chaining;
  const { input, output, error } = await resolveLanes(guards, requestContext, agent.id);
  const own = await hostProcessors(chaining, input);
  const after = joined(output, own.output);
  const keepsSteps = observesSteps(guards, compileLane(after, laneId(agent.id, 'output'), guards.recordEdits));
  const memory = await memoryProcessors(conversation, { input, output, titling: chaining, keepsSteps });
  const objective = goalOf(chaining) ? [createObjectiveProcessor(chaining)] : [];
  const hosts = withOwnIds([...memory.before, ...own.input, ...objective], input);
  const last = options.prepareStep ? [new PrepareStepProcessor({ prepareStep: options.prepareStep })] : [];
  const echo = isSignal ? [createSignalEcho()] : [];
  return {
    input: joined(hosts, input, echo, memory.observing, last),
    output: after,
    /** If there are any, Mastra allows retries by default. */
    error,
    /** Guards of the other arrays, which may have a hook for failed calls. */
    others: [...own.input, ...input, ...output],
    memory: memory.after,
    /** The processors of the memory and the host at the start of `input`; a replay reproduces their effect on the conversation. */
    recalling: hosts,
  };
};

/** True if memory keeps the accepted steps of every run, so that they may be observed before its end. */
const observesSteps = ({ hold, persistence = {} }: InterlockConfig, output: Plan | undefined): boolean => {
  const { tripwire = 'accepted', failed = 'accepted', canceled = 'accepted' } = persistence;
  const isKept = [tripwire, failed, canceled].every((turn) => turn === 'accepted');
  return isKept && hold !== 'run' && !(output && holdOf(output.graph, 'output') === 'run');
};

/** Processors that Mastra adds, under other ids than the guards': an application may configure one of them as well. */
const withOwnIds = (hosts: readonly Processor[], input: readonly PipelineStep[]): readonly Processor[] => {
  if (hosts.length === 0) return hosts;
  const known = new Set(processorsOf(toGraph(input)).map(({ id }) => id));
  return hosts.map((host) =>
    known.has(host.id) ? renamed({ processor: host, policy: undefined }, `host-${host.id}`).processor : host,
  );
};

/** Guards in a row. Guards alone stay the same array, which is the key of their compiled plan. */
const joined = (...rows: readonly (readonly PipelineStep[])[]): readonly PipelineStep[] => {
  const [only = [], ...more] = rows.filter(({ length }) => length > 0);
  return more.length === 0 ? only : [only, ...more].flat();
};

/**
 * The processors that Mastra's agent adds for its workspace, skills, signals, channels and browser. They run before the input
 * guards, which judge what these processors add, and after the output guards, so that they see only accepted output.
 */
const hostProcessors = async (
  { agent, guards: { signals = [] }, requestContext }: ChainOptions,
  input: readonly PipelineStep[],
) => {
  const configured = input as never; // Mastra only searches it for its own processors
  const mastra = agent.getMastraInstance();
  /** Registered with the Mastra instance, where they find models and storage: a provider may create new ones for each call. */
  const registered = (processors: readonly object[]): readonly object[] => {
    if (mastra) registerProcessors(mastra, processors);
    return processors;
  };
  return {
    input: [
      ...registered(signals.flatMap((provider) => provider.getInputProcessors?.() ?? [])),
      ...(await agent['getWorkspaceInstructionsProcessors'](configured, requestContext)),
      ...(await agent['getSkillsProcessors'](configured, requestContext)),
      ...(agent.getChannels()?.getInputProcessors(configured) ?? []),
      ...(agent.browser?.getInputProcessors(configured) ?? []),
    ] as readonly Processor[], // Mastra returns no workflows here
    output: registered(signals.flatMap((provider) => provider.getOutputProcessors?.() ?? [])) as readonly PipelineStep[],
  };
};

/** The chains as plans; with `recordEdits` their guards report their edits. Raises `pipeline/…` for guards that cannot work. */
export const compileChains = (
  agentId: string,
  { input, output, error, others, memory }: Omit<Chains, 'recalling'>,
  recordEdits: boolean | undefined,
): Lanes => ({
  input: compileLane(input, laneId(agentId, 'input'), recordEdits),
  output: compileLane(output, laneId(agentId, 'output'), recordEdits),
  error: compileErrorLane({ own: error, others }, laneId(agentId, 'error'), recordEdits),
  memory: compileLane(memory, `${agentId}-memory`),
});

/** Sends the readers of a run the signals that it answers. It runs after the input guards, whose edits it includes. */
const createSignalEcho = (): Processor => {
  const publishedIds = new Set<string>();
  return {
    id: 'signal-echo',
    processInputStep: async ({ messageList, writer }) => {
      const signals = messageList.get.input.db().filter(({ id, role }) => role === 'signal' && !publishedIds.has(id));
      for (const message of signals) {
        publishedIds.add(message.id);
        await writer?.custom(mastraAgent.mastraDBMessageToSignal(message).toDataPart() as never); // Mastra has a separate type for these parts
      }
      return undefined;
    },
  };
};

/**
 * A `prepareStep` function as a processor: the shorthand for `processInputStep`, with the same arguments and results. It runs
 * after the input guards, so that it decides the model, tools and settings of a step.
 */
export class PrepareStepProcessor implements Processor<'prepare-step'> {
  readonly id = 'prepare-step';
  readonly name = 'Prepare Step Processor';
  readonly processInputStep: PrepareStep;

  constructor({ prepareStep }: { prepareStep: PrepareStep }) {
    this.processInputStep = (args) => prepareStep(args);
  }
}

/**
 * Compiles the guards that run when a model call fails: first the error guards, then the error hooks of the other arrays, as in Mastra. A
 * processor in several arrays runs once. Undefined without guards.
 */
export const compileErrorLane = (
  { own, others }: Record<'own' | 'others', readonly PipelineStep[]>,
  id: string,
  recordsEdits?: boolean,
): Plan | undefined => {
  const mending = others.map((step) => toGraph([step])).filter((node) => processorsOf(node).some(canMend));
  if (mending.length === 0) return compileLane(own, id, recordsEdits);
  const lane = toGraph(own, id);
  const known = new Set(processorsOf(lane).map((processor) => processor.id));
  const nodes = [...lane.nodes];
  for (const node of mending) {
    const rest = mapGuards(node, (guard) => (canMend(guard.processor) && !known.has(guard.id) ? guard : idle(guard)));
    const left = processorsOf(rest);
    if (left.length === 0) continue;
    nodes.push(rest);
    for (const processor of left) known.add(processor.id);
  }
  return compileRecording({ kind: 'sequence', id, nodes }, recordsEdits);
};

const canMend = (processor: Processor): boolean => typeof processor[phases.apiError.hook] === 'function';

/** A node without effect at the position of a guard, so that conditions and maps find its result there. */
const idle = (guard: GuardNode): GraphNode => ({ kind: 'function', id: nodeId(guard), run: () => undefined, phases: new Set() });

/** The agent's objective in the thread of a call, shown to the model as a system message before each step. */
const createObjectiveProcessor = ({ agent, conversation }: Pick<LoopTarget, 'agent' | 'conversation'>): Processor => ({
  id: 'goal-objective',
  processInputStep: async ({ messageList }) => {
    const store = await mastraTools.resolveGoalStore(agent.getMastraInstance());
    const record = await mastraTools.readObjective(store, conversation?.threadId);
    messageList.clearSystemMessages('goal');
    if (record?.status === 'active')
      messageList.addSystem(`<current-objective>\n${record.objective}\n</current-objective>`, 'goal');
    return messageList;
  },
});
