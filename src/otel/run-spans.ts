import {
  type Attributes,
  context,
  type Context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';

import type { RunEvent } from '../../schemas/index.js';
import { continuesStep, opensRun, type OpeningEvent } from '../trace/traces.js';
import { attribute, operation } from './names.js';
import { recentValues } from '../phase/memo.js';

/** Maximum number of ended runs kept. */
const mostEnded = 1_000;

/** Follows runs by their events. */
interface RunFollower<T> {
  /** The data of a run at its first event in this process. `before`: of its earlier segment, if it was here. */
  open(event: OpeningEvent, agent: string | undefined, before: T | undefined): T;
  /** The meaning of each type of event. Other types have none. */
  readonly meanings: { readonly [K in RunEvent['type']]?: (known: T, event: Of<K>) => void };
}

/** Keeps the data of active runs, and for a while of ended runs: shadows may still judge those, and users may resume them. */
export const followRuns = <T extends RunSource>({ open, meanings }: RunFollower<T>): RunListener => {
  const underWay = new Map<string, T>();
  const ended = recentValues<T>({ maxEntries: mostEnded });
  return (event, source) => {
    const { runId, type } = event;
    const before = underWay.get(runId) ?? ended.get(runId);
    const isOpening = opensRun(event, before !== undefined);
    const known = isOpening ? open(event, agentOf(event, source, before), before) : before;
    if (!known) return;
    if (isOpening) underWay.set(runId, known);
    (meanings[type] as ((known: T, event: RunEvent) => void) | undefined)?.(known, event); // of its type
    if (type !== 'run-finish') return;
    underWay.delete(runId);
    ended.set(runId, known);
  };
};

/** The spans of one run. */
interface RunSpans {
  readonly run: Span;
  /** The parent context of spans outside the run's steps. */
  readonly context: Context;
  readonly agentId: string | undefined;
  step: Span | undefined;
  model: Span | undefined;
  readonly tools: Map<string, Span>;
}

type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

/** The agent of a run. */
interface RunSource {
  readonly agentId?: string | undefined;
}

/** Receives the events of runs. */
type RunListener = (event: RunEvent, source?: RunSource) => void;

/** The agent's id. Only the first event of a run names it, and a process that continues the run does not get that one. */
const agentOf = (event: RunEvent, source?: RunSource, before?: RunSource): string | undefined =>
  source?.agentId ?? (event.type === 'run-start' ? event.agentId : before?.agentId);

/**
 * Creates spans from events: one for the run, inside it its steps, and inside those the calls of models, tools and guards. Times
 * come from the events, so that a recorded run keeps its original times.
 */
export const createRunSpans = (tracer: Tracer): RunListener =>
  followRuns<RunSpans>({
    open: (event, agentId, before) => startRun(tracer, event, { agentId, known: before }),
    meanings: {
      'state-enter': (own, event) => {
        if (event.state === 'step.preparing') own.step = startStep(tracer, own, event);
      },
      'model-call': (own, event) => {
        own.model?.end(event.at); // of an abandoned call that another replaces
        own.model = startModel(tracer, own, event);
      },
      'model-finish': (own, event) => {
        own.model?.setAttributes({
          [attribute.finishReasons]: [event.finishReason],
          [attribute.inputTokens]: event.usage.inputTokens,
          [attribute.outputTokens]: event.usage.outputTokens,
          [attribute.fromCache]: event.fromCache,
        });
        endModel(own, event);
      },
      'model-error': (own, event) => {
        failed(own.model, '_OTHER'); // a provider's error message may contain text of the conversation
        endModel(own, event);
      },
      'model-wasted': (own, event) => {
        own.model?.setAttribute(attribute.isWasted, true);
        endModel(own, event);
      },
      'tool-start': (own, event) => void own.tools.set(event.toolCallId, startTool(tracer, own, event)),
      'tool-finish': endTool,
      guard: (own, event) => guardSpan(tracer, own, event),
      'guard-shadow': (own, event) => guardSpan(tracer, own, event),
      'guard-bypass': bypassed,
      'step-finish': endStep,
      'run-finish': endRun,
    },
  });

/** The span of a run is a child of the active span. A resumed run links to the span of the previous segment, if it was in this process. */
const startRun = (
  tracer: Tracer,
  event: OpeningEvent,
  { agentId, known }: Pick<RunSpans, 'agentId'> & { known: RunSpans | undefined },
): RunSpans => {
  const before = event.type === 'run-resume' ? known : undefined;
  const outer = context.active();
  const run = tracer.startSpan(
    named(operation.agent, agentId),
    {
      kind: SpanKind.INTERNAL,
      startTime: event.at,
      attributes: { [attribute.operation]: operation.agent, [attribute.agent]: agentId, [attribute.runId]: event.runId },
      ...(before && { links: [{ context: before.run.spanContext() }] }),
    },
    outer,
  );
  const own: RunSpans = { run, context: trace.setSpan(outer, run), agentId, step: undefined, model: undefined, tools: new Map() };
  if (continuesStep(event)) own.step = startStep(tracer, own, event);
  return own;
};

const innerOf = ({ context: outer, step }: RunSpans): Context => (step ? trace.setSpan(outer, step) : outer);

const placeOf = ({ stepNumber, attempt }: RunEvent): Attributes => ({
  [attribute.step]: stepNumber,
  [attribute.attempt]: attempt,
});

const startStep = (tracer: Tracer, own: RunSpans, event: RunEvent): Span => {
  own.step?.end(event.at);
  return tracer.startSpan(`step ${event.stepNumber}`, { startTime: event.at, attributes: placeOf(event) }, own.context);
};

const startModel = (tracer: Tracer, own: RunSpans, { at, modelId, provider }: Of<'model-call'>): Span => {
  const attributes = { [attribute.operation]: operation.model, [attribute.model]: modelId, [attribute.provider]: provider };
  return tracer.startSpan(named(operation.model, modelId), { kind: SpanKind.CLIENT, startTime: at, attributes }, innerOf(own));
};

const endModel = (own: RunSpans, { at }: RunEvent): void => {
  own.model?.end(at);
  own.model = undefined;
};

const startTool = (tracer: Tracer, own: RunSpans, { at, toolName, toolCallId }: Of<'tool-start'>): Span => {
  const attributes = { [attribute.operation]: operation.tool, [attribute.tool]: toolName, [attribute.toolCallId]: toolCallId };
  return tracer.startSpan(named(operation.tool, toolName), { startTime: at, attributes }, innerOf(own));
};

const endTool = ({ tools }: RunSpans, { at, toolCallId, outcome }: Of<'tool-finish'>): void => {
  const tool = tools.get(toolCallId);
  tools.delete(toolCallId);
  tool?.setAttribute(attribute.toolOutcome, outcome);
  if (outcome === 'error') failed(tool, '_OTHER');
  tool?.end(at);
};

/**
 * The span of a guard's call, created when the call is over, with its duration; for a stream guard, the total of all its calls.
 * Reasons and metadata are omitted, because they may quote rejected text.
 */
const guardSpan = (tracer: Tracer, own: RunSpans, event: Of<'guard' | 'guard-shadow'>): void => {
  const { at, durationMs, processorId, verdict } = event;
  const attributes = {
    ...guardAttributes(event),
    ...placeOf(event),
    [attribute.guardPath]: event.path,
    [attribute.calls]: event.calls,
    [attribute.edits]: event.edits,
  };
  const span = tracer.startSpan(`guard ${processorId}`, { startTime: at - durationMs, attributes }, innerOf(own));
  if (verdict === 'unavailable') failed(span, 'guard/unavailable');
  span.end(at);
};

/** Attributes that identify a guard and its verdict. */
export const guardAttributes = ({ type, processorId, phase, verdict }: Of<'guard' | 'guard-shadow'>): Attributes => ({
  [attribute.guard]: processorId,
  [attribute.phase]: phase,
  [attribute.verdict]: verdict,
  [attribute.isShadow]: type === 'guard-shadow',
});

export const bypassAttributes = ({ processorId, phase, reason }: Of<'guard-bypass'>): Attributes => ({
  [attribute.guard]: processorId,
  [attribute.phase]: phase,
  [attribute.bypassReason]: reason,
});

const bypassed = ({ run, step }: RunSpans, event: Of<'guard-bypass'>): void => {
  const attributes = { ...bypassAttributes(event), [attribute.calls]: event.calls };
  (step ?? run).addEvent('interlock.guard.bypass', attributes, event.at);
};

const endStep = (own: RunSpans, event: Of<'step-finish'>): void => {
  endOpen(own, event.at);
  own.step?.setAttribute(attribute.stepReason, event.reason);
  own.step?.end(event.at);
  own.step = undefined;
};

/** Ends the spans of a step's abandoned calls together with the step. */
const endOpen = (own: RunSpans, at: number): void => {
  for (const span of [own.model, ...own.tools.values()]) span?.end(at);
  own.model = undefined;
  own.tools.clear();
};

const endRun = (own: RunSpans, { at, status, retries, tripwire, error }: Of<'run-finish'>): void => {
  endOpen(own, at);
  own.step?.end(at);
  own.step = undefined;
  own.run.setAttributes({
    [attribute.runStatus]: status,
    [attribute.retries]: retries,
    ...(tripwire && { [attribute.guard]: tripwire.processorId, [attribute.phase]: tripwire.phase }),
  });
  if (status === 'failed') failed(own.run, errorType(error));
  own.run.end(at);
};

/**
 * The error's class: its code if it has one, otherwise its name. The message is omitted, because it may contain text of the
 * conversation.
 */
export const errorType = (error: Of<'run-finish'>['error']): string => error?.code ?? error?.name ?? '_OTHER';

const failed = (span: Span | undefined, type: string): void => {
  span?.setAttribute(attribute.errorType, type);
  span?.setStatus({ code: SpanStatusCode.ERROR });
};

const named = (kind: string, name: string | undefined): string => (name === undefined ? kind : `${kind} ${name}`);
