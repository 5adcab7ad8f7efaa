import type { MessageList } from '@mastra/core/agent/message-list';
import { createRun } from '../loop/create-run.js';
import type { Chunk, LoopPorts } from '../loop/ports.js';
import type { Run as LoopRun, RunBefore, RunOptions } from '../loop/run.js';
import type { Plan } from '../pipeline/compile.js';
import type { Phase } from '../phase/row.js';
import type { StreamBuffer } from '../stream/stream-buffer.js';
import { pass } from '../verdict.js';
import { limitsOf } from './guard-options.js';
import { guardsOutput } from './model-port.js';
import type { Run } from './run.js';

/** The options of one run of the loop. */
interface LoopRunParts extends Pick<RunOptions, 'onEvent' | 'mayTakeBack' | 'hold'> {
  readonly list: MessageList;
  readonly streamBuffer: StreamBuffer<Chunk>;
  readonly ports: Pick<LoopPorts, 'messages' | 'models' | 'callModel' | 'toChunk'>;
  readonly plan: Plan;
  readonly signal: AbortSignal;
  readonly mode: RunOptions['mode'];
  readonly messageIds?: RunBefore['messageIds'];
}

/**
 * A run of the loop inside a guarded run. Processor state, counters and listeners belong to the guarded run. The AI SDK is the client: it
 * runs the tools, requests approvals and decides about the next step.
 */
export const createLoopRun = (run: Run, parts: LoopRunParts): LoopRun => {
  const { list, streamBuffer, plan, signal, mode, onEvent, mayTakeBack, hold } = parts;
  const { scope, options, retries, recoveries, stepNumber } = run;
  return createRun({
    runId: run.id,
    mode,
    list,
    streamBuffer,
    maxHeldChars: options.maxHeldChars,
    serveErrorDetails: options.serveErrorDetails,
    onEvent,
    mayTakeBack,
    lanes: { input: plan, output: guardsOutput(run) ? plan : undefined, error: plan, memory: undefined },
    ports: {
      ...parts.ports,
      host: scope.host,
      runTool: async () => ({ kind: 'client' }),
      needsApproval: async () => false,
      shouldStop: () => false,
      now: scope.now,
      wallClock: Date.now,
      createId: () => crypto.randomUUID(),
    },
    settings: {},
    limits: limitsOf(options),
    abortSignal: signal,
    hold,
    toolConcurrency: Infinity,
    before: {
      counts: { stepNumber, retries, recoveries },
      slots: run.slots,
      steps: run.steps as never, // the AI SDK's own records, which only hooks get
      messageIds: parts.messageIds ?? new Set(),
    },
    reports: scope,
    // A model's stream has no data parts to write.
    context: { agent: undefined, requestContext: options.requestContext, tracingContext: undefined, writer: undefined },
  });
};

/** A plan that runs some of its phases; the others are judged elsewhere. */
export const onlyPhases = (plan: Plan, isOurs: (phase: Phase) => boolean): Plan => ({
  ...plan,
  has: (phase) => isOurs(phase) && plan.has(phase),
  run: (phase, data, scope) => (isOurs(phase) ? plan.run(phase, data, scope) : pass),
});
