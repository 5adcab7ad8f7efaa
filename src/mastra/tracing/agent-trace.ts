import type { Agent, AgentExecutionOptionsBase } from '@mastra/core/agent';
import type { MessageList } from '@mastra/core/agent/message-list';
import { RequestContext } from '@mastra/core/request-context';
import {
  EntityType,
  executeWithContext,
  executeWithContextSync,
  getOrCreateSpan,
  getRootExportSpan,
  SpanType,
  type AnySpan,
  type Span,
} from '@mastra/core/observability';
import type { RunEvent } from '../../../schemas/index.js';
import { finishReasonOf, tripwireOf } from '../../loop/finalize-run.js';
import { publicError } from '../../loop/judge.js';
import { messageOf } from '../../errors.js';
import type { ToolCall } from '../../loop/tool-call.js';
import { acceptedSteps, isWithheld, type Lanes, type Run, type RunTracer, waitingCalls } from '../../loop/run.js';
import { concealOf } from '../../loop/run-recording.js';
import { offeredTools } from '../model/prompts.js';
import { objectOf } from '../messages/conversion.js';
import { structuredOutputId } from '../structured-output/structured-output.js';
import { createGuardSpans } from './guard-spans.js';
import { namesOf, usageStats, wordsOfSteps } from './model-spans.js';
import { asError, createStepSpans, nameToolIn } from './step-spans.js';
import { continuesStep, opensRun } from '../../trace/traces.js';
import { mapErrorTexts } from '../../guard/map-texts.js';
import { pick } from '../../phase/plain-data.js';
import { secretsSpan } from './secrets-span.js';

type AgentSpan = Span<SpanType.AGENT_RUN>;

/** A span that another one continues. */
export type SpanPlace = Pick<AnySpan, 'id' | 'traceId'>;

/** The run to trace. */
interface AgentTracing {
  readonly agent: Agent;
  readonly runId: string;
  readonly requestContext: RequestContext;
  readonly options: Pick<AgentExecutionOptionsBase<unknown>, 'tracingContext' | 'tracingOptions'> & {
    readonly structuredOutput?: { readonly model?: unknown };
  };
  readonly conversation: { readonly threadId: string; readonly resourceId: string } | undefined;
  /** The conversation at the start, with the instructions. */
  readonly list: MessageList;
  readonly maxSteps: number;
  /** The span of the earlier segment, if it ended in another process or segment of a durable run. */
  readonly resumedFrom?: SpanPlace | undefined;
  /** True if spans contain the text that guards received and removed. */
  readonly hasWords: boolean;
}

/** The trace of a run, created from its events: the same spans as those of Mastra's agents. */
export interface AgentTrace extends RunTracer {
  /** Calls the model inside the span of the call. */
  callModel<T>(call: () => Promise<T>): Promise<T>;
  /** Starts the span of a tool's run; undefined if the trace has not started. */
  openTool(call: ToolCall): ReturnType<StepSpans['openTool']> | undefined;
}

/** One segment of a run: from its start or resumption until it ends or suspends. */
interface TracedSegment {
  readonly run: Run;
  readonly agent: AgentSpan;
  readonly steps: StepSpans;
  readonly guards: GuardSpans;
}

/** Creates the trace of a run, if a trace exists already or the application's Mastra creates traces. Its spans start with the run. */
export const createAgentTrace = (tracing: AgentTracing, lanes: Lanes): AgentTrace | undefined => {
  const { agent, requestContext, options } = tracing;
  const isTraced =
    options.tracingContext?.currentSpan ?? agent.getMastraInstance()?.observability.getSelectedInstance({ requestContext });
  return isTraced ? traceOf(tracing, lanes) : undefined;
};

const spans = new WeakMap<Run, AgentSpan>();

/** The span of a run. Undefined without a trace. */
export const spanOf = (run: Run): AgentSpan | undefined => spans.get(run);

const traceOf = (tracing: AgentTracing, lanes: Lanes): AgentTrace => {
  const { hasWords, list } = tracing;
  const texts = list.getSystemMessages().map(({ content }) => (typeof content === 'string' ? content : ''));
  const spanned = { ...tracing, instructions: texts.join('\n\n') };
  let segment: TracedSegment | undefined;
  const sit = (run: Run, event: RunEvent): TracedSegment | undefined => {
    if (segment?.run === run) return segment;
    if (!opensRun(event, segment !== undefined)) return undefined; // from a run segment that is over
    const isRecovered = event.type === 'state-enter';
    const resumed =
      event.type === 'run-resume'
        ? { from: segment?.agent ?? tracing.resumedFrom, input: pick(event, 'toolCallId', 'answer') }
        : undefined;
    const conceal = concealOf(lanes, () => run);
    const availableTools = offeredTools(run.options.settings).map(([name]) => name);
    const start = { isRecovered, resumed, availableTools };
    const started = startAgentSpan(conceal ? withoutSecrets(spanned, conceal) : spanned, start);
    if (!started) return undefined;
    const agent = conceal ? secretsSpan(started, conceal) : started;
    const steps = createStepSpans(agent, hasWords);
    const parentOf: Parameters<typeof createGuardSpans>[0]['parentOf'] = ({ cadence }) =>
      cadence === 'once' ? agent : (steps.step ?? agent);
    const errorOf = (error: unknown) => asError(publicError(run, error));
    spans.set(run, agent);
    segment = {
      run,
      agent,
      steps,
      guards: createGuardSpans({
        lanes,
        nameTool: hasWords ? undefined : (name) => nameToolIn(run)(name),
        isHidden: ({ processorId }) => processorId === structuredOutputId && !tracing.options.structuredOutput?.model,
        errorOf,
        parentOf,
      }),
    };
    if (run.state.accepted.length > 0 || run.state.attempt?.finish) agent.update({ input: run.state.list.get.input.db() });
    if (continuesStep(event)) steps.start(run);
    return segment;
  };
  return {
    onEvent: (event, run) => {
      const current = sit(run, event);
      if (current) follow(current, event);
    },
    openSpan: (call) => segment?.guards.open(call) ?? { scope: call.scope, end: () => undefined },
    within: (fn) => (segment ? executeWithContextSync({ span: segment.agent, fn }) : fn()),
    get ids() {
      const root = segment && getRootExportSpan(segment.agent);
      return { traceId: root?.externalTraceId, spanId: root?.id };
    },
    callModel: (fn) => {
      const span = segment?.steps.inference;
      return span ? executeWithContext({ span, fn }) : fn();
    },
    openTool: (call) => segment?.steps.openTool(segment.run, call),
  };
};

type Spanned = AgentTracing & { readonly instructions: string };

/** The start of a segment's span. */
interface SpanStart {
  readonly isRecovered: boolean;
  readonly availableTools: string[];
  /** The continuation of a suspended run: the answer, and the span of the previous segment, if it had one. */
  readonly resumed: { readonly from: SpanPlace | undefined; readonly input: Record<'toolCallId' | 'answer', string> } | undefined;
}

/**
 * Starts the span of an agent's run, as a child of the caller's span or as a new trace. The caller's input is added once guards
 * have passed it.
 */
const startAgentSpan = (
  { agent, runId, conversation, instructions, requestContext, maxSteps, options }: Spanned,
  { isRecovered, resumed, availableTools }: SpanStart,
): AgentSpan | undefined => {
  const { threadId, resourceId } = conversation ?? {};
  return getOrCreateSpan({
    type: SpanType.AGENT_RUN,
    name: `agent run: '${agent.id}'${resumed ? ' (resumed)' : isRecovered ? ' (recovered)' : ''}`,
    entityType: EntityType.AGENT,
    entityId: agent.id,
    entityName: agent.name,
    input: resumed?.input,
    attributes: { conversationId: threadId, instructions, availableTools, maxSteps },
    metadata: {
      runId,
      resourceId,
      threadId,
      ...(resumed && { resumed: true, ...(resumed.from && { resumedFromSpanId: resumed.from.id }) }),
      ...(isRecovered && { recovered: true }),
    },
    tracingOptions: resumed?.from ? { ...options.tracingOptions, traceId: resumed.from.traceId } : options.tracingOptions,
    tracingContext: options.tracingContext,
    requestContext,
    mastra: agent.getMastraInstance(),
    resumedFromSpanId: resumed?.from?.id,
  });
};

/** Updates the spans for an event. Other events have no effect. */
const follow = ({ run, agent, steps, guards }: TracedSegment, event: RunEvent): void => {
  if (event.type === 'state-enter' && event.state === 'step.preparing') steps.start(run);
  else if (event.type === 'state-enter' && event.state === 'step.calling') {
    if (run.state.accepted.length === 0) agent.update({ input: run.state.list.get.input.db() });
    steps.accept(run);
  } else if (event.type === 'model-call') steps.startCall(run);
  else if (event.type === 'model-finish') steps.endCall(run);
  else if (event.type === 'model-error') steps.failCall(event.message);
  else if (event.type === 'guard') guards.onEvent(event);
  else if (event.type === 'step-finish') {
    guards.endOfStep();
    steps.end(run, event.reason);
  } else if (event.type === 'run-finish') {
    guards.endOfStep();
    finish(run, agent, steps);
  }
};

/** Ends the run's span with its result, and all open spans below it. */
const finish = (run: Run, agent: AgentSpan, { generation }: StepSpans): void => {
  const usage = usageStats(run.state.usage);
  if (run.state.status === 'failed') {
    const error = asError(run.state.error);
    generation?.error({ error, attributes: { usage } });
    return agent.error({ error, endTree: true });
  }
  const accepted = isWithheld(run) ? [] : acceptedSteps(run);
  const interrupted = interruption(run);
  const { object } = objectOf(run);
  const output = interrupted ?? { ...wordsOfSteps(accepted), ...(object !== undefined && { object }) };
  generation?.end({
    output,
    attributes: { usage, finishReason: finishReasonOf(run), ...(!interrupted && namesOf(accepted.at(-1))) },
  });
  const tripwire = run.state.status === 'tripwire' ? tripwireOf(run) : undefined;
  const files = accepted.flatMap((step) => step.files);
  const { reason, processorId, retry, metadata } = tripwire ?? {};
  return agent.end({
    endTree: true,
    output: interrupted ?? {
      text: accepted.map(({ text }) => text).join(''),
      ...(object !== undefined && { object }),
      ...(files.length > 0 && { files }),
      ...(tripwire && { tripwire }),
    },
    ...(tripwire && { attributes: { tripwireAbort: { reason, processorId, retry, metadata } } }),
  });
};

/** A suspended or interrupted run omits its output, because it was not accepted as a whole. */
const interruption = (run: Run) => {
  if (run.state.status === 'canceled') return { status: 'aborted', reason: messageOf(run.state.error) } as const;
  if (run.state.status !== 'suspended') return undefined;
  const [waiting] = waitingCalls(run);
  return {
    status: 'suspended',
    reason: waiting?.kind,
    toolName: waiting && nameToolIn(run)(waiting.call.toolName),
    toolCallId: waiting?.call.toolCallId,
  } as const;
};

/** The run without the values that guards hide: a span copies the request's context, and with it what memory knows of the thread. */
const withoutSecrets = (spanned: Spanned, conceal: (text: string) => string): Spanned => {
  const entries = Array.from(spanned.requestContext.entries(), ([key, value]) => [key, mapErrorTexts(value, conceal)] as const);
  return { ...spanned, instructions: conceal(spanned.instructions), requestContext: new RequestContext(entries) };
};

/** The spans of a run's guards. */
type GuardSpans = ReturnType<typeof createGuardSpans>;

/** The spans of a run's model and tools: one generation, its steps, and the calls of each step. */
type StepSpans = ReturnType<typeof createStepSpans>;
