import {
  metrics,
  trace,
  type MeterProvider,
  type TracerProvider,
  type Attributes,
  type Histogram,
  type Meter,
} from '@opentelemetry/api';
import type { RunEvent } from '../../schemas/index.js';
import { checkIntegration } from '../integration.js';
import { traceOfKind, type Trace } from '../trace/traces.js';
import { libraryName } from '../library.js';
import { createRunSpans, errorType, followRuns, bypassAttributes, guardAttributes } from './run-spans.js';
import { attribute, operation } from './names.js';

/** Destinations of telemetry. */
export interface OpenTelemetryOptions {
  /**
   * Default: the provider that the application registered with `@opentelemetry/api`; without one, spans cost nothing and are
   * dropped.
   */
  readonly tracerProvider?: TracerProvider;
  /** Default: the provider that the application registered. */
  readonly meterProvider?: MeterProvider;
}

/** Reports runs to OpenTelemetry. */
export interface RunTelemetry {
  /** Pass this to agents or calls: it reports active runs as spans and metrics. */
  readonly onRunEvent: ReturnType<typeof createRunSpans>;
  /**
   * Exports a recorded run, redacted or not: spans with the recorded times, and metrics, counted at the time of this call. Set
   * `metrics: false` for runs that were already counted while they ran. Default: both.
   */
  exportTrace(recorded: Trace, options?: { readonly metrics?: boolean }): void;
}

/**
 * Reports runs as OpenTelemetry spans and metrics, by its conventions for generative AI. Spans contain neither message content
 * nor guards' reasons.
 *
 * @example
 * const telemetry = openTelemetry();
 * const agent = new InterlockAgent({ ...config, onRunEvent: telemetry.onRunEvent });
 */
export const openTelemetry = ({ tracerProvider, meterProvider }: OpenTelemetryOptions = {}): RunTelemetry => {
  checkIntegration('@opentelemetry/api');
  const [name = '', version] = libraryName.split('@');
  const tracer = (tracerProvider ?? trace).getTracer(name, version);
  const meter = (meterProvider ?? metrics).getMeter(name, version);
  const recordSpans = createRunSpans(tracer);
  const recordMetrics = createRunMetrics(meter);
  return {
    onRunEvent: (event, source) => {
      recordSpans(event, source);
      recordMetrics(event, source);
    },
    exportTrace: (recorded, { metrics: isCounted = true } = {}) => {
      // Separate from active runs, which may have the same id.
      const listeners = [createRunSpans(tracer), ...(isCounted ? [createRunMetrics(meter)] : [])];
      const [source] = traceOfKind(recorded, 'header');
      for (const { event } of traceOfKind(recorded, 'event')) for (const listener of listeners) listener(event, source);
    },
  };
};

/** Data of a run that its metrics need. */
interface RunInfo {
  readonly agentId: string | undefined;
  /** Epoch milliseconds. */
  startedAt: number;
  /** The number of retries already counted; a resumed run continues from it. */
  retries: number;
  /** The most recently called model. */
  model: Attributes;
}

type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

/** Records metrics from events. */
const createRunMetrics = (meter: Meter) => {
  const to = createInstruments(meter);
  const countVerdict = ({ agentId }: RunInfo, event: Of<'guard' | 'guard-shadow'>): void => {
    const attributes = { [attribute.agent]: agentId, ...guardAttributes(event) };
    to.verdicts.add(1, attributes);
    to.guardDuration.record(event.durationMs / event.calls / 1_000, attributes);
  };
  return followRuns<RunInfo>({
    open: (event, agentId, before) => {
      const retries = event.type === 'run-start' ? 0 : (before?.retries ?? 0);
      return { agentId, startedAt: event.at, retries, model: {} };
    },
    meanings: {
      guard: countVerdict,
      'guard-shadow': countVerdict,
      'guard-bypass': ({ agentId }, event) =>
        to.bypasses.add(event.calls, { [attribute.agent]: agentId, ...bypassAttributes(event) }),
      'model-call': (facts, { modelId, provider }) => {
        facts.model = { [attribute.operation]: operation.model, [attribute.model]: modelId, [attribute.provider]: provider };
      },
      'model-finish': (facts, event) => countModel(to, facts, event),
      'model-wasted': ({ agentId, model }, { inputTokens, outputTokens }) =>
        to.wastedTokens.add(inputTokens + outputTokens, { [attribute.agent]: agentId, ...model }),
      'tool-finish': ({ agentId }, { durationMs, toolName, outcome }) =>
        to.toolDuration.record(durationMs / 1_000, {
          [attribute.agent]: agentId,
          [attribute.tool]: toolName,
          [attribute.toolOutcome]: outcome,
          ...(outcome === 'error' && { [attribute.errorType]: '_OTHER' }),
        }),
      'run-finish': (facts, event) => countRun(to, facts, event),
    },
  });
};

type Instruments = ReturnType<typeof createInstruments>;

/** Bucket bounds of the conventions: each bound is twice the previous one. */
const doubling = (first: number, buckets: number): number[] => Array.from({ length: buckets }, (_, at) => first * 2 ** at);

const createInstruments = (meter: Meter) => {
  const seconds = (name: string, description: string, bounds: number[]): Histogram =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: bounds } });
  return {
    agentDuration: seconds('gen_ai.invoke_agent.duration', 'Duration of a run.', doubling(0.1, 13)),
    modelDuration: seconds('gen_ai.client.operation.duration', 'Duration of a model call.', doubling(0.01, 14)),
    tokens: meter.createHistogram('gen_ai.client.token.usage', {
      description: 'Tokens of a model call.',
      unit: '{token}',
      advice: { explicitBucketBoundaries: Array.from({ length: 14 }, (_, at) => 4 ** at) },
    }),
    toolDuration: seconds('gen_ai.execute_tool.duration', 'Duration of a tool call.', doubling(0.01, 14)),
    guardDuration: seconds('interlock.guard.duration', 'Duration of a guard call; the mean for a stream.', doubling(0.00005, 18)),
    verdicts: meter.createCounter('interlock.guard.verdicts', { description: 'Verdicts of guards.', unit: '{verdict}' }),
    bypasses: meter.createCounter('interlock.guard.bypasses', { description: 'Guard calls that were bypassed.', unit: '{call}' }),
    retries: meter.createCounter('interlock.run.retries', {
      description: 'Retries requested by guards and granted.',
      unit: '{retry}',
    }),
    trips: meter.createCounter('interlock.run.trips', { description: 'Runs that ended with a tripwire.', unit: '{run}' }),
    wastedTokens: meter.createCounter('interlock.model.wasted_tokens', {
      description: 'Tokens of model calls discarded because an overlapping guard did not pass.',
      unit: '{token}',
    }),
  };
};

/** Responses from a cache are omitted: the provider did no work for them. */
const countModel = ({ modelDuration, tokens }: Instruments, { model }: RunInfo, event: Of<'model-finish'>): void => {
  if (event.fromCache) return;
  const { inputTokens, outputTokens } = event.usage;
  modelDuration.record(event.durationMs / 1_000, model);
  if (inputTokens !== undefined) tokens.record(inputTokens, { ...model, [attribute.tokenType]: 'input' });
  if (outputTokens !== undefined) tokens.record(outputTokens, { ...model, [attribute.tokenType]: 'output' });
};

const countRun = (to: Instruments, facts: RunInfo, event: Of<'run-finish'>): void => {
  const { at, status, retries, tripwire, error } = event;
  const attributes = { [attribute.agent]: facts.agentId };
  const type = status === 'failed' && { [attribute.errorType]: errorType(error) };
  to.agentDuration.record((at - facts.startedAt) / 1_000, { ...attributes, [attribute.runStatus]: status, ...type });
  if (retries > facts.retries) to.retries.add(retries - facts.retries, attributes);
  facts.retries = retries;
  if (!tripwire) return;
  const verdict = tripwire.kind ?? 'trip';
  to.trips.add(1, {
    ...attributes,
    [attribute.guard]: tripwire.processorId,
    [attribute.phase]: tripwire.phase,
    [attribute.verdict]: verdict,
  });
};
