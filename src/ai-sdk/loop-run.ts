import type { MessageList } from '@mastra/core/agent/message-list';
import { createAttempt, createRun } from '../loop/create-run.js';
import type { Chunk, LoopPorts, LoopMessages } from '../loop/ports.js';
import type { Run as LoopRun, RunOptions } from '../loop/run.js';
import type { Plan } from '../pipeline/compile.js';
import type { Phase } from '../phase/row.js';
import type { StreamBuffer } from '../stream/stream-buffer.js';
import { pass } from '../verdict.js';
import { limitsOf } from './guard-options.js';
import { preparedDecision } from './follow-retry.js';
import { guardsOutput } from './model-port.js';
import type { Run } from './run.js';
import type { RunTrace } from './run-trace.js';
import { answersIn, openConversation, type Conversation } from './conversation.js';
import type { Prompt } from './spec.js';

/** The options of one run of the loop. */
interface LoopRunParts extends Pick<RunOptions, 'onEvent' | 'mayTakeBack' | 'hold'> {
  readonly list: MessageList;
  readonly streamBuffer: StreamBuffer<Chunk>;
  readonly ports: Pick<LoopPorts, 'messages' | 'models' | 'callModel' | 'toChunk'>;
  readonly plan: Plan;
  readonly signal: AbortSignal;
  readonly mode: RunOptions['mode'];
  readonly messageIds?: NonNullable<RunOptions['before']>['messageIds'];
  /** Records it, if it is a call of the model. */
  readonly trace?: RunTrace | undefined;
}

/**
 * A run of the loop inside a guarded run, from the request of a prepared step. Processor state, counters and listeners belong to the
 * guarded run. The AI SDK is the client: it runs the tools, requests approvals and decides about the next step.
 */
export const createLoopRun = (run: Run, parts: LoopRunParts): LoopRun => {
  const { list, streamBuffer, plan, signal, mode, onEvent, mayTakeBack, hold, trace } = parts;
  const { scope, options, state } = run;
  const { retries, recoveries, stepNumber } = state;
  const call = {
    lanes: { input: plan, output: guardsOutput(run) ? plan : undefined, error: plan, memory: undefined },
    ports: portsOf(run, parts.ports),
  };
  const loop: LoopRun = createRun({
    ...(trace?.follow(call, (): LoopRun => loop) ?? call),
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
      messageIds: parts.messageIds ?? new Set(),
      decision: preparedDecision(run),
    },
    reports: scope,
    context: { agent: undefined, requestContext: options.requestContext, tracingContext: undefined },
  });
  const start = parts.ports.messages.checkpoint(list);
  const baseSystem = scope.host.messages.readSystem(list);
  loop.change({ attempt: createAttempt(loop), start, firstStep: start, baseSystem });
  return loop;
};

/** The AI SDK runs the tools, requests approvals and decides about the next step. */
const portsOf = ({ scope }: Run, ports: LoopRunParts['ports']): LoopPorts => ({
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

interface ListPortOptions {
  readonly loopOf: () => LoopRun;
  /** Called before the loop itself changes a message. */
  readonly onWrite?: () => void;
}

/** The messages of one call, for the loop: each attempt starts with the prompt that the AI SDK would send. */
export const openListPort = (run: Run, prompt: Prompt, { loopOf, onWrite }: ListPortOptions) => {
  const { messages: host } = run.scope.host;
  const open = (): Conversation => openConversation(run, prompt, { answers: answersIn(run.state, prompt) });
  let conversation = open();
  let { recoveries } = run.state;
  const prompts = new Map<string, Prompt>();
  /** The prompt, with the edits of a guard that repeats a failed call. */
  const mended = (): Prompt => {
    if (loopOf().state.counters.recoveries === recoveries) return prompt;
    return [...conversation.readSystem(), ...conversation.read()] as Prompt; // made of a prompt
  };
  const messages: LoopMessages = {
    addResponse: (list, message) => {
      const last = host.read(list, 'all').at(-1)?.createdAt.getTime() ?? 0; // lists sort by time
      const createdAt = new Date(Math.max(message.createdAt.getTime(), last + 1));
      list.add({ ...message, createdAt }, 'response', { merge: false });
    },
    setToolOutcome: (list, call, outcome) => {
      if (outcome.kind !== 'result') return;
      onWrite?.();
      host.writeToolResult(list, call, outcome.result);
    },
    addData: () => undefined, // the AI SDK runs the tools
    checkpoint: () => ({ messages: [] }), // the prompt is the only state to restore
    detached: (list) => list, // it is not used any more
    restore: () => {
      conversation = open();
      ({ recoveries } = loopOf().state.counters);
      return conversation.list;
    },
    writeTagged: (_list, tag, tagged) => void prompts.set(tag, [...tagged] as Prompt), // system messages of the loop's own
    toPrompt: () => withSystem(mended(), [...prompts.values()].flat()) as never, // Mastra types a prompt by an older specification
  };
  return {
    messages,
    /** In its state in the current attempt. */
    get conversation() {
      return conversation;
    },
  };
};

/** After the other system messages, because most models accept them only at the start. */
const withSystem = (prompt: Prompt, added: Prompt): Prompt => {
  if (added.length === 0) return prompt;
  const at = prompt.findIndex(({ role }) => role !== 'system');
  return prompt.toSpliced(at === -1 ? prompt.length : at, 0, ...added);
};
