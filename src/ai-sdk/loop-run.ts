import { createAttempt, createRun } from '../loop/create-run.js';
import type { LoopPorts, LoopMessages } from '../loop/ports.js';
import type { Run as LoopRun, RunOptions } from '../loop/run.js';
import type { Plan } from '../pipeline/graph.js';
import type { SystemMessage } from '../phase/host.js';
import type { Phase } from '../phase/row.js';
import { pass } from '../verdict.js';
import { limitsOf } from './guard-options.js';
import { preparedDecision } from './follow-retry.js';
import { guardsOutput } from './model-port.js';
import type { Run } from './run.js';
import type { RunTrace } from './run-trace.js';
import { answersIn, openConversation, type Conversation } from './conversation.js';
import type { AnyMessage } from './spec.js';

/** The options of one run of the loop. */
interface LoopRunParts extends Pick<RunOptions, 'mode' | 'streamBuffer' | 'onEvent' | 'mayTakeBack' | 'hold'> {
  /** The messages before the response. */
  readonly prompt: readonly AnyMessage[];
  readonly ports: Pick<LoopPorts, 'models' | 'callModel' | 'makeCall' | 'toChunk' | 'dropInputs'>;
  /** Default: the plan of the guarded run, and its signal. */
  readonly plan?: Plan;
  readonly signal?: AbortSignal;
  /** Records it, if it is a call of the model. */
  readonly trace?: RunTrace | undefined;
}

interface OpenedLoop {
  readonly loop: LoopRun;
  /** The messages in their state in the current attempt. */
  conversationOf(): Conversation;
}

/**
 * A run of the loop inside a guarded run, from the request of a prepared step. Processor state, counters and listeners belong to the
 * guarded run. The AI SDK is the client: it runs the tools, requests approvals and decides about the next step.
 */
export const openLoop = (run: Run, parts: LoopRunParts): OpenedLoop => {
  const { plan = run.plan, signal = run.signal, mode, streamBuffer, onEvent, mayTakeBack, hold, trace } = parts;
  const { scope, options, state } = run;
  const { retries, recoveries, stepNumber } = state;
  const loopOf = (): LoopRun => loop; // assigned before anything happens in it
  const { messages, conversationOf } = openMessages(run, parts, loopOf);
  const { list, originals } = conversationOf();
  const call = {
    lanes: { input: plan, output: guardsOutput(run) ? plan : undefined, error: plan, memory: undefined },
    ports: portsOf(run, { ...parts.ports, messages }),
  };
  const loop: LoopRun = createRun({
    ...(trace?.follow(call, loopOf) ?? call),
    runId: run.id,
    mode,
    list,
    streamBuffer,
    maxHeldChars: options.maxHeldChars,
    window: options.window,
    serveErrorDetails: options.serveErrorDetails,
    onEvent,
    mayTakeBack,
    settings: {},
    limits: limitsOf(options),
    abortSignal: signal,
    hold,
    toolConcurrency: Infinity,
    before: {
      counts: { stepNumber, retries, recoveries },
      slots: run.slots,
      steps: state.steps as never, // the AI SDK's own records, which only hooks get
      messageIds: originals,
      decision: preparedDecision(run),
    },
    reports: scope,
    context: { agent: undefined, requestContext: options.requestContext, tracingContext: undefined },
  });
  const start = messages.checkpoint(list);
  const baseSystem = scope.host.messages.readSystem(list);
  loop.change({ attempt: createAttempt(loop), start, firstStep: start, baseSystem });
  return { loop, conversationOf };
};

/** The AI SDK runs the tools, requests approvals and decides about the next step. */
const portsOf = ({ scope }: Run, ports: LoopRunParts['ports'] & Pick<LoopPorts, 'messages'>): LoopPorts => ({
  ...ports,
  host: scope.host,
  acceptsErrorFinish: true,
  runTool: async () => ({ kind: 'client' }),
  needsApproval: async () => false,
  shouldStop: () => false,
  now: scope.now,
  wallClock: Date.now,
  createId: () => crypto.randomUUID(),
});

/** A plan that runs some of its phases; the others are judged elsewhere. */
export const onlyPhases = (plan: Plan, isOurs: (phase: Phase) => boolean): Plan => ({
  ...plan,
  has: (phase) => isOurs(phase) && plan.has(phase),
  run: (phase, data, scope) => (isOurs(phase) ? plan.run(phase, data, scope) : pass),
});

/** The messages of one call, for the loop: each attempt starts with the prompt that the AI SDK would send. */
const openMessages = (run: Run, { prompt }: LoopRunParts, loopOf: () => LoopRun) => {
  const { messages: host } = run.scope.host;
  const open = (): Conversation => openConversation(run, prompt, answersIn(run.state, prompt));
  let conversation = open();
  let { recoveries } = run.state;
  const added = new Map<string, readonly SystemMessage[]>();
  /** The prompt, with the edits of a guard that repeats a failed call. */
  const mended = (): readonly AnyMessage[] => {
    if (loopOf().state.counters.recoveries === recoveries) return prompt;
    return [...conversation.readSystem(), ...conversation.read()];
  };
  const messages: LoopMessages = {
    addResponse: (list, message) => {
      const last = host.read(list, 'all').at(-1)?.createdAt.getTime() ?? 0; // lists sort by time
      const createdAt = new Date(Math.max(message.createdAt.getTime(), last + 1));
      list.add({ ...message, createdAt }, 'response', { merge: false });
    },
    setToolOutcome: (list, call, outcome) => {
      if (outcome.kind === 'result') host.writeToolResult(list, call, outcome.result);
    },
    addData: () => undefined, // the AI SDK runs the tools
    checkpoint: () => ({ messages: [] }), // the prompt is the only state to restore
    detached: (list) => list, // it is not used any more
    restore: () => {
      conversation = open();
      ({ recoveries } = loopOf().state.counters);
      return conversation.list;
    },
    writeTagged: (_list, tag, tagged) => void added.set(tag, tagged),
    toPrompt: () => withSystem(mended(), [...added.values()].flat()) as never, // Mastra types a prompt by an older specification
  };
  return { messages, conversationOf: () => conversation };
};

/** After the other system messages, because most models accept them only at the start. */
const withSystem = (prompt: readonly AnyMessage[], added: readonly SystemMessage[]): readonly object[] => {
  if (added.length === 0) return prompt;
  const at = prompt.findIndex(({ role }) => role !== 'system');
  return at === -1 ? [...prompt, ...added] : [...prompt.slice(0, at), ...added, ...prompt.slice(at)];
};
